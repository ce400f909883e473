//go:build vault

package cli_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/secrets/vault/vaulttest"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestAdminSetsCredentialsInVault: erased values, dead references and missing Vault variables are
// reported.
func TestAdminSetsCredentialsInVault(t *testing.T) {
	t.Parallel()
	const held = "held-by-airlock-0123456789"
	v := vaulttest.Start(t)
	v.Policy("reader", map[string]string{"secret/data/*": "read"})
	v.Put("app", map[string]any{"token": "value-in-vault-0123456789"})
	in := e2e.StartInstance(t, "VAULT_ADDR="+v.URL, "VAULT_TOKEN="+v.Token("1h", "reader"))
	without := slices.DeleteFunc(slices.Clone(in.Env), func(s string) bool { return strings.HasPrefix(s, "VAULT_") })
	const good, bad = "secret/data/app#token", "secret/data/nothing#x"
	shows := func(name, want string) {
		t.Helper()
		if _, text := runAdmin(in, in.Env, "", "show", name); !strings.Contains(text, want) {
			t.Errorf("%s: want %q in\n%s", name, want, text)
		}
	}
	for _, c := range []struct {
		what  string
		code  int
		env   []string
		stdin string
		args  []string
		want  string
	}{
		{"a new one", 0, in.Env, "", []string{"set", "NEW", "--vault", good, "--mode", "injected"}, "vault " + good},
		{"a value for one in Vault", 2, in.Env, held + "\n", []string{"set", "NEW"},
			"comes from Vault; nothing was changed. Change it in Vault, or keep the value in Airlock instead with --local"},
		{"a value and a reference", 2, in.Env, held, []string{"set", "NEW", "--vault", bad}, "--local"},
		{"without a value", 0, in.Env, "", []string{"set", "NEW", "--description", "a note"}, "is set"},
		{"stdin is left alone", 0, in.Env, held, []string{"set", "NEW", "--no-value"}, "is set"},
		{"a reference that leads nowhere", 0, in.Env, "", []string{"set", "LOST", "--vault", bad, "--mode", "injected"},
			bad + " resolves: no: nothing is stored there"},
		{"a reference without data/", 0, in.Env, "", []string{"set", "LOST", "--vault", "secret/app#token"},
			"a path in KV version 2 needs data/ after its mount"},
		{"one in Airlock", 0, in.Env, held, []string{"set", "HELD", "--mode", "injected"}, "version 1"},
		{"erased for nothing", 2, in.Env, "", []string{"set", "HELD", "--vault", bad}, "If you mean it, add --yes"},
		{"no variables to set", 2, without, "", []string{"set", "HELD", "--vault", good},
			"this command's environment has no VAULT_ADDR"},
		{"no variables to test", 2, without, "", []string{"test", "NEW", "--host", "api.test"},
			"this command's environment has no VAULT_ADDR"},
		{"no variables to show", 0, without, "", []string{"show", "NEW"},
			"unknown: this command's environment has no VAULT_ADDR"},
	} {
		if code, text := runAdmin(in, c.env, c.stdin, c.args...); code != c.code || !strings.Contains(text, c.want) ||
			strings.Contains(text, held) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s", c.what, code, c.code, c.want, text)
		}
	}
	shows("NEW", good)
	shows("HELD", "version 1")

	in.Admin("", "profile", "lock", in.Admin("", "profile", "create", "--key", "HELD"))
	if code, text := runAdmin(in, in.Env, "", "set", "HELD", "--vault", good); code != 2 ||
		!strings.Contains(text, "is erased for good") {
		t.Errorf("a profile has it: exit %d\n%s", code, text)
	}
	shows("HELD", "version 1")
	if code, text := runAdmin(in, in.Env, "", "set", "HELD", "--vault", good, "--yes"); code != 0 {
		t.Errorf("with --yes: exit %d\n%s", code, text)
	}
	if code, text := runAdmin(in, in.Env, held, "set", "HELD", "--local"); code != 0 ||
		!strings.Contains(text, "version 2") {
		t.Errorf("back again: exit %d\n%s", code, text)
	}

	in.Stop()
	in.Env = without
	in.Start()
	in.Stop()
	if log, err := os.ReadFile(in.Log); err != nil ||
		!strings.Contains(string(log), "credentials come from Vault, and none is configured") {
		t.Errorf("a start without a Vault says nothing: %v", err)
	}
}
