package admin

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
)

// A profile could be placed where nothing would ever run it, without a word.
func TestPlacementOnAnUnusedBackendIsSaid(t *testing.T) {
	for _, tt := range []struct{ sandbox, backend, want string }{
		{"auto", "", ""},
		{"auto", "docker", "AIRLOCK_SANDBOX is auto here"},
		{"bubblewrap,docker", "docker", ""},
		{"bubblewrap,docker", "ssh", "only while the server uses ssh"},
	} {
		var said strings.Builder
		o := &operator{Console: cli.Console{Err: &said}, cfg: config.Config{Sandbox: strings.Split(tt.sandbox, ",")}}
		a, err := cli.Parse(&said, "place"+placeFlags, "", []string{"--backend", tt.backend})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := o.readPlacement(a); err != nil || !strings.Contains(said.String(), tt.want) ||
			(tt.want == "") != (said.Len() == 0) {
			t.Errorf("%+v: %q, %v", tt, &said, err)
		}
	}
}
