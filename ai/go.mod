module github.com/pi-go/pi/ai

go 1.26.0

require (
	github.com/aws/aws-sdk-go-v2 v1.48.0
	github.com/coder/websocket v1.8.15
	github.com/google/go-cmp v0.7.0
	golang.org/x/oauth2 v0.38.0
	pgregory.net/rapid v1.3.0
)

require (
	cloud.google.com/go/compute/metadata v0.3.0 // indirect
	github.com/aws/smithy-go v1.28.9 // indirect
)
