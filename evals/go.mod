module github.com/pi-go/pi/evals

go 1.26.0

require (
	github.com/pi-go/pi/agentcore v0.1.0
	github.com/pi-go/pi/ai v0.1.0
	github.com/pi-go/pi/codingagent v0.1.0
	gopkg.in/yaml.v3 v3.0.1
)
