package lockstep

// outside are the directories with a go.mod that take no part in the workspace.
var outside = map[string]string{
	"internal/tools/pinned": "pins the linters; their dependencies must not raise versions in the workspace",
}

// marker at the end of a Go line says that the string in it is the version:
//
//	const version = "0.1.0" // lockstep: VERSION
const marker = "// lockstep: VERSION"
