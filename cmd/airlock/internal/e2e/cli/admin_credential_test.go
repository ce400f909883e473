package cli_test

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestHoleM2HeadersOnTheCommandLine: a person sets, reads and resets a value's headers; logged ones
// are refused.
func TestHoleM2HeadersOnTheCommandLine(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t)
	const value = "sealed-value-0123456789"
	for _, c := range []struct {
		args      []string
		puts      string // what show says afterwards
		lacks     string
		code      int
		complains string
	}{
		{[]string{"set", "KEY", "--host", "api.example.com"}, "Authorization, X-Api-Key,", "Cookie", 0, ""},
		{[]string{"set", "KEY", "--header", "x-own", "--header", "cookie"}, "header (Cookie, X-Own)", "Authorization", 0, ""},
		{[]string{"set", "KEY", "--place", "query"}, "header (Cookie, X-Own), query", "Authorization", 0, ""},
		{[]string{"set", "KEY", "--header", "User-Agent"}, "header (Cookie, X-Own), query", "Authorization", 1,
			"servers and proxies log that header"},
		{[]string{"set", "KEY", "--header", "X Own"}, "header (Cookie, X-Own), query", "Authorization", 1,
			"not the name of a header"},
		{[]string{"set", "KEY", "--header", ""}, "header, query", "X-Own", 0, ""},
	} {
		code, said := runAdmin(in, in.Env, value, c.args...)
		_, shown := runAdmin(in, in.Env, "", "show", "KEY", "--headers")
		if (code == 0) != (c.code == 0) || !strings.Contains(said, c.complains) || !strings.Contains(shown, c.puts) ||
			strings.Contains(shown, c.lacks) {
			t.Errorf("%q: code %d, said %q, shown\n%s", c.args, code, said, shown)
		}
	}
	if _, listed := runAdmin(in, in.Env, "", "list"); !strings.Contains(listed, "header, query") ||
		strings.Contains(listed, value) {
		t.Errorf("listed: %s", listed)
	}
	if _, said := runAdmin(in, in.Env, "", "test", "KEY", "--header", "Referer"); !strings.Contains(said,
		"servers and proxies log that header") {
		t.Errorf("tested: %s", said)
	}
}

func runAdmin(in *e2e.Instance, env []string, stdin string, args ...string) (code int, text string) {
	in.T.Helper()
	command := exec.Command(in.Binary, append([]string{"admin", "credential"}, args...)...)
	var out bytes.Buffer
	command.Env, command.Stdin, command.Stdout, command.Stderr = env, strings.NewReader(stdin), &out, &out
	_ = command.Run()
	return command.ProcessState.ExitCode(), out.String()
}

// TestHoleG2PlainHostOnTheCommandLine: moving a locked profile's plain value to another host names
// both and wants --yes.
func TestHoleG2PlainHostOnTheCommandLine(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t)
	in.Admin("db.corp.example", "credential", "set", "DB_HOST", "--mode", "plain")
	profile := in.Admin("", "profile", "create", "--description", "reports", "--key", "DB_HOST", "--host",
		"{DB_HOST}:5432")
	in.Admin("", "profile", "lock", profile)
	const moved = `The locked profile "reports" would reach evil.example instead of db.corp.example.`
	code, said := runAdmin(in, in.Env, "evil.example", "set", "DB_HOST")
	if code == 0 || !strings.Contains(said, moved) || !strings.Contains(said, "--yes") {
		t.Errorf("code %d, said %q", code, said)
	}
	if code, said := runAdmin(in, in.Env, "evil.example", "set", "DB_HOST", "--yes"); code != 0 {
		t.Errorf("code %d, said %q", code, said)
	}
	if code, said := runAdmin(in, in.Env, "evil.example", "set", "DB_HOST"); code != 0 { // nothing moves
		t.Errorf("code %d, said %q", code, said)
	}
}
