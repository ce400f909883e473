package config

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestHoleFilesOfTheEnvironmentAreBounded: a file that claims no size was read whole, and a pipe was
// waited for.
func TestHoleFilesOfTheEnvironmentAreBounded(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for variable, most := range map[string]string{
		"AIRLOCK_ADMIN_TOKEN_FILE": "64KiB", "AIRLOCK_EXTRA_CA": "256KiB", "AIRLOCK_REDACT_EXTRA": "256KiB",
	} {
		for _, path := range []string{"/proc/kallsyms", pipe} {
			want := variable + ": " + path + " is not a regular file of at most " + most
			if _, err := Load([]string{variable + "=" + path}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
}
