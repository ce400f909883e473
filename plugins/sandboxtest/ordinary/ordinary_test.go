package ordinary_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/plugins/sandboxtest/ordinary"
)

func TestEveryProgramParses(t *testing.T) {
	programs, err := ordinary.Programs()
	if err != nil {
		t.Fatal(err)
	}
	if len(programs) < 60 {
		t.Errorf("only %d programs", len(programs))
	}
	for _, p := range programs {
		if !strings.HasSuffix(p.Script, "set_result(\"works\")\n") {
			t.Errorf("%s doesn't end with its result", p.Name)
		}
	}
}

// TestExceptionsAreDocumented: what doesn't work on a backend stands in its page, in the same
// words.
func TestExceptionsAreDocumented(t *testing.T) {
	programs, err := ordinary.Programs()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range programs {
		for backend, why := range p.Except {
			page, err := os.ReadFile(filepath.Join("../../../docs/backends", backend+".md"))
			if err != nil || !strings.Contains(string(page), why) {
				t.Errorf("%s: %s.md doesn't say %q (%v)", p.Name, backend, why, err)
			}
		}
	}
}
