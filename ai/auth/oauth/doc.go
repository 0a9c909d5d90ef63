// Package oauth holds the logins of vendors that offer one: in a browser with PKCE
// and a callback to this machine, by a code that is pasted, or by a code that is
// typed on another device.
//
//	login := oauth.Anthropic(oauth.Settings{ClientID: id})
//	credential, err := login.Login(ctx, ui)
//
// No client id that was issued to another program is part of this package, and no
// request claims to come from another vendor's product. Most vendors issue client
// ids to programs; the id comes from [Settings], or from the variable
// PI_OAUTH_CLIENT_ID_<PROVIDER>. Without one a login says so, and a stored login
// that another program made is used until it expires and then left as it is.
// OpenRouter needs no client id.
package oauth
