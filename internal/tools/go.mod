module github.com/pi-go/pi/internal/tools

go 1.26.0

require golang.org/x/mod v0.40.0
