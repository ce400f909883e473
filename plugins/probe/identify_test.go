package probe

import "testing"

func TestSupported(t *testing.T) {
	for version, want := range map[string]bool{"3.9.0": true, "3.11.2": true, "3.8.20": false, "2.7.18": false,
		"4.0": false, "": false, "three": false} {
		if isSupported(version) != want {
			t.Errorf("supported(%q) = %v", version, !want)
		}
	}
}
