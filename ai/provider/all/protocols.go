package all

import (
	"github.com/pi-go/pi/ai"
	"github.com/pi-go/pi/ai/api/openaidecisions"
	"github.com/pi-go/pi/ai/api/openrouterimages"
	"github.com/pi-go/pi/ai/api/systemone"
)

// ImageAPIs lists the protocols of image models, by name, with their defaults.
func ImageAPIs() []ai.ImageAPI { return []ai.ImageAPI{openrouterimages.New()} }

// ClassifierAPIs lists the protocols of classifiers, by name, with their defaults.
func ClassifierAPIs() []ai.ClassifierAPI {
	return []ai.ClassifierAPI{openaidecisions.New(), systemone.New(), systemone.Cloudflare()}
}
