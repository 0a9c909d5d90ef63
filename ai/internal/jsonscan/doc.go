// Package jsonscan reads one JSON object in place, without allocating, for the
// two or three keys of a stream frame that matter.
//
// It is not a JSON decoder. It knows the common shape of a frame and refuses
// whatever is unusual, so that the caller hands the frame to encoding/json
// instead; a vendor's new field can cost time but never be lost:
//
//	s := jsonscan.New(frame)
//	var text []byte
//	for s.Open(); s.More(); {
//		switch string(s.Key()) {
//		case "id", "created":
//			s.Skip()
//		case "text":
//			text = s.Text()
//		default:
//			s.NullOnly() // anything else than null refuses the frame
//		}
//	}
//	if !s.End() || !jsonscan.Unquote(&b, text) {
//		return slow(frame) // nothing was written to b
//	}
//
// A refusal sticks: after it every method does nothing and loops end, so only
// End needs to be asked. Values that are skipped, or taken raw, are stepped over
// and not validated; a frame that is broken only there is accepted.
//
// A caller must refuse by itself what only it can see: a key that it reads and
// that comes twice (Once), or a second element where it expects one.
package jsonscan
