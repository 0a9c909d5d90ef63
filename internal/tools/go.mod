module github.com/pi-go/pi/internal/tools

go 1.26.0

require (
	github.com/pi-go/pi/ai v0.1.0
	golang.org/x/mod v0.40.0
)
