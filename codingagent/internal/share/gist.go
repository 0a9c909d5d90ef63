package share

import "strings"

// Viewer is the address at which a viewer shows a gist: the viewer's own, with the id
// of the gist as its fragment, which browsers do not send. It is empty without a
// viewer, and when the address of the gist has no id.
func Viewer(viewer, gist string) string {
	id := gist[strings.LastIndexByte(gist, '/')+1:]
	if viewer = strings.TrimSpace(viewer); viewer == "" || id == "" {
		return ""
	}
	return viewer + "#" + id
}
