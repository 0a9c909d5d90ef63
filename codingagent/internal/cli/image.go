package cli

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/codingagent/tools/picture"
)

// readImage makes an image block of the bytes of an @file, in a form that
// models take.
func (p *program) readImage(ctx context.Context, data []byte) (*ai.Image, string, bool, error) {
	mime, ok := picture.Detect(data)
	if !ok {
		return nil, "", false, nil
	}
	img, err := picture.Fit(ctx, data, mime, picture.Limits{Keep: !p.settings.Images.AutoResize})
	if err != nil {
		return nil, "", false, fmt.Errorf("prepare image: %w", err)
	}
	return &ai.Image{Data: base64.StdEncoding.EncodeToString(img.Data), MIMEType: img.MIME}, img.Notes(), true, nil
}
