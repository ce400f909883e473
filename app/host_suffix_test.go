package app

import "testing"

func TestWildcardsBelowPublicSuffixes(t *testing.T) {
	for name, want := range map[string]string{
		"*.co.uk": "co.uk", "*.github.io": "github.io", "*.s3.amazonaws.com": "s3.amazonaws.com", "*.example.co.uk": "",
		"*.example.github.io": "", "*.example.com": "", "*.svc.internal": "", "co.uk": "", "{KEY}": "",
	} {
		if got := (Host{Name: name}).PublicSuffix(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
