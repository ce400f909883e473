package main

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/plugins"
)

// TestDoctorShowsControlCharacters has every text of a report try to paint over the verdict.
func TestDoctorShowsControlCharacters(t *testing.T) {
	const paint = "\x1b[1A\r\x1b]0;title\a\u009b2Kfull\nready"
	var out strings.Builder
	printReport(&out, plugins.Report{
		Name: "ssh", Version: paint, Reason: paint, Runtime: paint, Tier: plugins.TierNone,
		Controls: []plugins.Control{{Name: paint, Detail: paint, Fix: paint}},
		Enforced: map[string]string{paint: paint}, Images: map[string]string{paint: paint},
	})
	if i := strings.IndexFunc(out.String(),
		func(r rune) bool { return r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0) }); i >= 0 {
		t.Errorf("a control character at %d of %q", i, out.String())
	}
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(line, "ready") {
			t.Errorf("a line of its own: %q", line)
		}
	}
}

func TestDoctorOfABackendWithoutVersion(t *testing.T) {
	var out strings.Builder
	printReport(&out, plugins.Report{Name: "mybox", Reason: "its file does not have the configured sha256"})
	if !strings.HasPrefix(out.String(), "mybox: NOT READY\n") {
		t.Errorf("%q", out.String())
	}
}

// In a container with --read-only the doctor said only that it could not make a directory.
func TestDoctorWithoutATemporaryDirectory(t *testing.T) {
	t.Setenv("TMPDIR", "/nonexistent")
	var out strings.Builder
	err := doctor(t.Context(), cli.Console{Out: &out, Err: &out}, nil)
	if err == nil || !strings.Contains(err.Error(), "TMPDIR") || !strings.Contains(err.Error(), "--tmpfs /tmp") {
		t.Errorf("%v", err)
	}
}
