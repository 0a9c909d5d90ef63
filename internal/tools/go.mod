module github.com/pi-go/pi/internal/tools

go 1.26.0

require (
	github.com/creack/pty v1.1.24
	golang.org/x/mod v0.42.0
	golang.org/x/tools v0.52.0
)
