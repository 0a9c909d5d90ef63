package huggingface

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxQuantizations is how many can be chosen of.
const maxQuantizations = 100

// Quantization is a form of a model.
type Quantization struct {
	// Name is as llama.cpp knows it, such as "Q4_K_M"; "" is the one that llama.cpp
	// chooses by itself, where the names of the files tell none.
	Name string
	// Size is that of all its files, in bytes; 0 is not known.
	Size int64
}

var (
	// part ends the name of one of the files that a large model is cut into.
	part = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-[0-9]{5}-of-[0-9]{5}$`) })
	// quantized is a quantization at the end of a name.
	quantized = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(?:^|[-._])((?:UD-)?(?:I?Q[1-9][0-9]?(?:_[0-9A-Z]+)*|TQ[12]_0|MXFP4(?:_MOE)?|NVFP4|BF16|F16|F32))$`)
	})
)

// quantizations reads the names and sizes of files, the smallest first. What goes with
// a model and is none is left out.
func quantizations(files map[string]int64) []Quantization {
	sizes := make(map[string]int64)
	names := make(map[string]string) // as they are written, by upper case
	for file, size := range files {
		base, ok := strings.CutSuffix(path.Base(file), ".gguf")
		if lower := strings.ToLower(base); !ok || strings.Contains(lower, "mmproj") || strings.Contains(lower, "imatrix") {
			continue
		}
		name := ""
		if m := quantized().FindStringSubmatch(part().ReplaceAllString(base, "")); m != nil {
			name = m[1]
		}
		key := strings.ToUpper(name)
		sizes[key] += size
		names[key] = max(names[key], name)
	}
	if len(sizes) > 1 {
		delete(sizes, "") // what llama.cpp would choose is among the others
	}
	var out []Quantization
	for key, size := range sizes {
		out = append(out, Quantization{names[key], size})
	}
	slices.SortFunc(out, func(a, b Quantization) int {
		return cmp.Or(cmp.Compare(a.Size, b.Size), strings.Compare(a.Name, b.Name))
	})
	return out[:min(len(out), maxQuantizations)]
}
