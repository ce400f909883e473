package bubblewrap

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseSettings(t *testing.T) {
	tests := []struct {
		in   map[string]string
		want settings
		err  string
	}{
		{in: nil, want: settings{root: "/", limits: "auto", box: "template"}},
		{
			in: map[string]string{"bwrap": "/opt/bwrap", "root": "/srv/root", "usr_local": "true", "limits": "polled",
				"cgroup": "/sys/fs/cgroup/a", "box": "fresh"},
			want: settings{bwrap: "/opt/bwrap", root: "/srv/root", usrLocal: true, limits: "polled",
				cgroup: "/sys/fs/cgroup/a", box: "fresh"},
		},
		{in: map[string]string{"limit": "polled"}, err: "unknown setting; there are AIRLOCK_PLUGIN_BUBBLEWRAP_BOX, "},
		{in: map[string]string{"limits": "none"}, err: "none of auto"},
		{in: map[string]string{"root": "srv"}, err: "absolute"},
		{in: map[string]string{"root": "/srv/../etc"}, err: "clean"},
		{in: map[string]string{"usr_local": "maybe"}, err: "usr_local"},
	}
	for _, tt := range tests {
		got, err := parseSettings(tt.in)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%v: error %v, want %q", tt.in, err, tt.err)
			}
			continue
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(settings{})); err != nil || diff != "" {
			t.Errorf("%v: %v %s", tt.in, err, diff)
		}
	}
}
