package theme

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/pi-go/pi/tui/text"
)

// ParseColor reads a colour as theme files write it. ok is false if s does not
// have the form of a colour, and so may be the name of a variable.
func ParseColor(s string) (c text.Color, ok bool, err error) {
	switch {
	case s == "":
		return 0, true, nil
	case strings.HasPrefix(s, "ansi:"):
		n, err := strconv.ParseUint(s[5:], 10, 8)
		if err != nil {
			return 0, false, fmt.Errorf("%q: use a number from 0 to 255", s)
		}
		return text.Indexed(uint8(n)), true, nil
	case s[0] == '#':
		v, err := strconv.ParseUint(s[1:], 16, 32)
		switch {
		case err == nil && len(s) == 7:
			return text.RGB(uint8(v>>16), uint8(v>>8), uint8(v)), true, nil
		case err == nil && len(s) == 4:
			return text.RGB(uint8(v>>8&15)*17, uint8(v>>4&15)*17, uint8(v&15)*17), true, nil
		}
		return 0, false, fmt.Errorf("%q: use #rgb or #rrggbb", s)
	}
	name, args, found := strings.Cut(s, "(")
	if !found || !strings.HasSuffix(args, ")") {
		return 0, false, nil
	}
	f := strings.Fields(strings.ReplaceAll(strings.TrimSuffix(args, ")"), ",", " "))
	var v [3]float64
	if len(f) != 3 {
		return 0, false, fmt.Errorf("%q: it needs three numbers", s)
	}
	for i := range v {
		n, percent := strings.CutSuffix(f[i], "%")
		n = strings.TrimSuffix(n, "deg")
		if v[i], err = strconv.ParseFloat(n, 64); err != nil || math.IsNaN(v[i]) || math.IsInf(v[i], 0) {
			return 0, false, fmt.Errorf("%q: %q is no number", s, f[i])
		}
		if percent {
			v[i] /= 100
		}
	}
	switch name {
	case "oklch":
		h := v[2] * math.Pi / 180
		return labToRGB(clamp(v[0]), v[1]*math.Cos(h), v[1]*math.Sin(h)), true, nil
	case "okhsl":
		return okhsl(v[0]/360, clamp(v[1]), clamp(v[2])), true, nil
	}
	return 0, false, fmt.Errorf("%q: use oklch(L%% C H) or okhsl(H S%% L%%)", s)
}

func clamp(v float64) float64 { return min(max(v, 0), 1) }

// The numbers below are those of Björn Ottosson's definition of Oklab and Okhsl:
// https://bottosson.github.io/posts/oklab, https://bottosson.github.io/posts/colorpicker.

// lmsFactors are the parts of a and b in the three roots.
func lmsFactors(a, b float64) (l, m, s float64) {
	return 0.3963377774*a + 0.2158037573*b, -0.1055613458*a - 0.0638541728*b, -0.0894841775*a - 1.2914855480*b
}

var toLinear = [3][3]float64{
	{4.0767416621, -3.3077115913, 0.2309699292},
	{-1.2684380046, 2.6097574011, -0.3413193965},
	{-0.0041960863, -0.7034186147, 1.7076147010},
}

func labToLinear(L, a, b float64) (rgb [3]float64) {
	kl, km, ks := lmsFactors(a, b)
	l, m, s := cube(L+kl), cube(L+km), cube(L+ks)
	for i, w := range toLinear {
		rgb[i] = w[0]*l + w[1]*m + w[2]*s
	}
	return rgb
}

func cube(x float64) float64 { return x * x * x }

func labToRGB(L, a, b float64) text.Color {
	lin := labToLinear(L, a, b)
	var out [3]uint8
	for i, v := range lin {
		v = clamp(v)
		if v <= 0.0031308 {
			v *= 12.92
		} else {
			v = 1.055*math.Pow(v, 1/2.4) - 0.055
		}
		out[i] = uint8(math.Round(clamp(v) * 255))
	}
	return text.RGB(out[0], out[1], out[2])
}

// maxSaturation is the greatest saturation that RGB has for a hue.
func maxSaturation(a, b float64) float64 {
	var k [5]float64
	var w [3]float64
	switch {
	case -1.88170328*a-0.80936493*b > 1:
		k, w = [5]float64{1.19086277, 1.76576728, 0.59662641, 0.75515197, 0.56771245}, toLinear[0]
	case 1.81444104*a-1.19445276*b > 1:
		k, w = [5]float64{0.73956515, -0.45954404, 0.08285427, 0.12541070, 0.14503204}, toLinear[1]
	default:
		k, w = [5]float64{1.35733652, -0.00915799, -1.15130210, -0.50559606, 0.00692167}, toLinear[2]
	}
	S := k[0] + k[1]*a + k[2]*b + k[3]*a*a + k[4]*a*b
	kl, km, ks := lmsFactors(a, b)
	// One step is enough for most hues, but not for some blue ones.
	for range 3 {
		l, m, s := 1+S*kl, 1+S*km, 1+S*ks
		f := w[0]*cube(l) + w[1]*cube(m) + w[2]*cube(s)
		f1 := 3 * (w[0]*kl*l*l + w[1]*km*m*m + w[2]*ks*s*s)
		f2 := 6 * (w[0]*kl*kl*l + w[1]*km*km*m + w[2]*ks*ks*s)
		S -= f * f1 / (f1*f1 - 0.5*f*f2)
	}
	return S
}

// cusp is the most colourful point of a hue.
func cusp(a, b float64) (L, C float64) {
	S := maxSaturation(a, b)
	rgb := labToLinear(1, S*a, S*b)
	L = math.Cbrt(1 / max(rgb[0], rgb[1], rgb[2]))
	return L, L * S
}

// maxChroma is the greatest chroma that RGB has for a hue and a lightness.
func maxChroma(a, b, L, cuspL, cuspC float64) float64 {
	if L <= cuspL {
		return cuspC * L / cuspL
	}
	t := cuspC * (L - 1) / (cuspL - 1)
	kl, km, ks := lmsFactors(a, b)
	l, m, s := L+t*kl, L+t*km, L+t*ks
	step := math.MaxFloat64
	for _, w := range toLinear {
		f := w[0]*cube(l) + w[1]*cube(m) + w[2]*cube(s) - 1
		f1 := 3 * (w[0]*kl*l*l + w[1]*km*m*m + w[2]*ks*s*s)
		f2 := 6 * (w[0]*kl*kl*l + w[1]*km*km*m + w[2]*ks*ks*s)
		if u := f1 / (f1*f1 - 0.5*f*f2); u >= 0 {
			step = min(step, -f*u)
		}
	}
	return t + step
}

func okhsl(h, s, l float64) text.Color {
	if l >= 1 {
		return text.RGB(255, 255, 255)
	}
	if l <= 0 {
		return text.RGB(0, 0, 0)
	}
	a, b := math.Cos(2*math.Pi*h), math.Sin(2*math.Pi*h)
	// The lightness as the eye sees it, to that of Oklab.
	const k1, k2 = 0.206, 0.03
	const k3 = (1 + k1) / (1 + k2)
	L := (l*l + k1*l) / (k3 * (l + k2))

	cuspL, cuspC := cusp(a, b)
	cMax := maxChroma(a, b, L, cuspL, cuspC)
	k := cMax / min(L*cuspC/cuspL, (1-L)*cuspC/(1-cuspL))
	sMid := 0.11516993 + 1/(7.44778970+4.15901240*b+a*(-2.19557347+1.75198401*b+a*(-2.13704948-10.02301043*b+a*(-4.24894561+5.38770819*b+4.69891013*a))))
	tMid := 0.11239642 + 1/(1.61320320-0.68124379*b+a*(0.40370612+0.90148123*b+a*(-0.27087943+0.61223990*b+a*(0.00299215-0.45399568*b-0.14661872*a))))
	ca, cb := L*sMid, (1-L)*tMid
	cMid := 0.9 * k * math.Sqrt(math.Sqrt(1/(1/(ca*ca*ca*ca)+1/(cb*cb*cb*cb))))
	ca, cb = L*0.4, (1-L)*0.8
	c0 := math.Sqrt(1 / (1/(ca*ca) + 1/(cb*cb)))

	const mid = 0.8
	var C float64
	if s < mid {
		t := s / mid
		q := mid * c0
		C = t * q / (1 - (1-q/cMid)*t)
	} else {
		t := (s - mid) / (1 - mid)
		q := (1 - mid) * cMid * cMid / (mid * mid) / c0
		C = cMid + t*q/(1-(1-q/(cMax-cMid))*t)
	}
	return labToRGB(L, C*a, C*b)
}

// luminance is the relative luminance of WCAG, from 0 to 1.
func luminance(r, g, b uint8) float64 {
	lin := func(v uint8) float64 {
		c := float64(v) / 255
		if c <= 0.03928 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}

// Contrast returns the contrast of two colours as WCAG defines it, from 1 to 21;
// 0 if one of them is not known.
func Contrast(a, b text.Color) float64 {
	ar, ag, ab, ok1 := a.RGB()
	br, bg, bb, ok2 := b.RGB()
	if !ok1 || !ok2 {
		return 0
	}
	x, y := luminance(ar, ag, ab), luminance(br, bg, bb)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// mix returns the colour between two, a part of the way from a to b.
func mix(a, b text.Color, part float64) text.Color {
	ar, ag, ab, ok1 := a.RGB()
	br, bg, bb, ok2 := b.RGB()
	if !ok1 || !ok2 {
		return a
	}
	m := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + (float64(y)-float64(x))*part)) }
	return text.RGB(m(ar, br), m(ag, bg), m(ab, bb))
}
