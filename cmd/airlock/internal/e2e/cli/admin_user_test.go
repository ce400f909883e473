package cli_test

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestAdminUserCommands: list, role and remove-passkeys work beside the server. One owner stays,
// and the audit log names the command.
func TestAdminUserCommands(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t)
	in.Person()
	for _, c := range []struct {
		what string
		ok   bool
		args []string
		want string
	}{
		{"list", true, []string{"user", "list"}, "Tester  owner"},
		{"the only owner", false, []string{"user", "role", "tester", "viewer"}, "Tester is the only owner"},
		{"a role that isn't known", false, []string{"user", "role", "Tester", "root"}, "owner, operator, viewer"},
		{"nobody", false, []string{"user", "role", "Nobody", "viewer"}, "nobody has this name"},
		{"the same role", true, []string{"user", "role", "TESTER", "owner"}, "Tester is now owner"},
		{"passkeys of nobody", false, []string{"user", "remove-passkeys", "Nobody"}, "not_found"},
		{"no passkeys", true, []string{"user", "remove-passkeys", "Tester"}, "removed 0 passkeys"},
	} {
		out, err := in.Command(append([]string{"admin"}, c.args...)...).CombinedOutput()
		if (err == nil) != c.ok || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v, want %q in\n%s", c.what, err, c.want, out)
		}
	}
}
