// Package picture makes images fit for a model: it recognises them by their
// content, turns them upright, converts what vendors do not take and shrinks
// what is too large.
//
//	if mime, ok := picture.Detect(data); ok {
//		img, err := picture.Fit(ctx, data, mime, picture.Limits{})
//		if err != nil {
//			return err // says why no image can be made of it
//		}
//		send(img.MIME, img.Data)
//		fmt.Println(img.Notes())
//	}
package picture
