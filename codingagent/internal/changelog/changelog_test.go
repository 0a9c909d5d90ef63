package changelog

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	t.Parallel()
	got := parse("# Changes\n\nWhat is here.\n\n## [Unreleased]\n\n## [1.1.0] - 2026-02-01\n\n### Added\n\n- One.\n- Two.\n\n## [1.0.0] - 2026-01-01\n\n- All.\n")
	want := []Section{{"1.1.0 - 2026-02-01", "### Added\n\n- One.\n- Two."}, {"1.0.0 - 2026-01-01", "- All."}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
}

func TestReleasedSectionsAgree(t *testing.T) {
	t.Parallel()
	root, err := os.ReadFile("../../../CHANGELOG.md")
	if err != nil {
		t.Skipf("not in the repository: %v", err)
	}
	released := func(list []Section) (out []Section) {
		for _, s := range list {
			if s.Title != "Unreleased" {
				out = append(out, s)
			}
		}
		return out
	}
	if diff := cmp.Diff(released(parse(string(root))), released(Sections())); diff != "" {
		t.Errorf("the released versions differ; copy CHANGELOG.md here (-root +built in):\n%s", diff)
	}
	if len(Sections()) == 0 {
		t.Error("nothing is built in")
	}
}
