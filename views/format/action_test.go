package format

import "testing"

func TestActionWord(t *testing.T) {
	t.Parallel()
	for action, want := range map[string]string{
		"profile.lock": "Profile locked", "person.invite": "Person invited", "backup.missed": "Backup missed",
	} {
		if got := ActionWord(action); got != want {
			t.Errorf("%q: %q, want %q", action, got, want)
		}
	}
}
