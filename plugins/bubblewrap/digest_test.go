package bubblewrap

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPythonPackages(t *testing.T) {
	const status = `Package: python3-httpx
Status: install ok installed
Architecture: all
Version: 0.23.3-1
Description: HTTP client
 Package: python3-fake

Package: python3-gone
Status: deinstall ok config-files
Version: 1

Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.36

Package: vim
Status: install ok installed
Version: 9
`
	want := []string{"libc6 2.36 amd64", "python3-httpx 0.23.3-1 all"}
	if diff := cmp.Diff(want, pythonPackages([]byte(status))); diff != "" {
		t.Error(diff)
	}
}

func TestSupported(t *testing.T) {
	for version, want := range map[string]bool{"3.9.0": true, "3.11.2": true, "3.8.20": false, "2.7.18": false,
		"4.0": false, "": false, "three": false} {
		if supported(version) != want {
			t.Errorf("supported(%q) = %v", version, !want)
		}
	}
}
