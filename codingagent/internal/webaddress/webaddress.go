// Package webaddress judges addresses to which secrets are sent.
package webaddress

import (
	"net"
	"net/url"
)

// Private reports whether nobody on the way can read what is sent to an address: it is
// encrypted, or does not leave this machine.
func Private(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
