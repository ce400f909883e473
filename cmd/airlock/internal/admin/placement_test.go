package admin

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

// A profile could be placed where nothing would ever run it, without a word.
func TestPlacementOnAnUnusedBackendIsSaid(t *testing.T) {
	for _, tt := range []struct{ sandbox, backend, want string }{
		{"auto", "", ""},
		{"auto", "landlock", "one backend at a time"},
		{"auto", "docker", "won't run until it names docker"},
		{"bubblewrap,docker", "docker", ""},
		{"bubblewrap,docker", "ssh", "AIRLOCK_SANDBOX is bubblewrap,docker here"},
	} {
		c := config.Config{Sandbox: strings.Split(tt.sandbox, ",")}
		if got := notUsed(c, tt.backend); !strings.Contains(got, tt.want) || (tt.want == "") != (got == "") {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}
