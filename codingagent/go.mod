module github.com/pi-go/pi/codingagent

go 1.26.0

require (
	github.com/aymanbagabas/go-udiff v0.4.1
	github.com/creack/pty v1.1.24
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/image v0.48.0
	golang.org/x/sys v0.50.0
	golang.org/x/term v0.48.0
	golang.org/x/text v0.44.0
	gopkg.in/yaml.v3 v3.0.1
	pgregory.net/rapid v1.3.0
)

require (
	github.com/pi-go/pi/agentcore v0.1.0
	github.com/pi-go/pi/ai v0.1.0
	github.com/pi-go/pi/tui v0.1.0
	golang.org/x/tools v0.52.0 // indirect
)
