package main

import (
	"strings"
	"testing"
)

// TestHoleM2HeadersOnTheCommandLine: a person names the headers of a value, reads them, and goes
// back to the usual ones; those that are logged are refused.
func TestHoleM2HeadersOnTheCommandLine(t *testing.T) {
	t.Parallel()
	in := startInstance(t)
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
		code, said := in.said(in.env, value, c.args...)
		_, shown := in.said(in.env, "", "show", "KEY", "--headers")
		if (code == 0) != (c.code == 0) || !strings.Contains(said, c.complains) || !strings.Contains(shown, c.puts) ||
			strings.Contains(shown, c.lacks) {
			t.Errorf("%q: code %d, said %q, shown\n%s", c.args, code, said, shown)
		}
	}
	if _, listed := in.said(in.env, "", "list"); !strings.Contains(listed, "header, query") ||
		strings.Contains(listed, value) {
		t.Errorf("listed: %s", listed)
	}
	if _, said := in.said(in.env, "", "test", "KEY", "--header", "Referer"); !strings.Contains(said,
		"servers and proxies log that header") {
		t.Errorf("tested: %s", said)
	}
}

// TestHoleG2PlainHostOnTheCommandLine: a plain value that moves a locked profile to another host
// wants --yes, after both hosts were named.
func TestHoleG2PlainHostOnTheCommandLine(t *testing.T) {
	t.Parallel()
	in := startInstance(t)
	in.admin("db.corp.example", "credential", "set", "DB_HOST", "--mode", "plain")
	profile := in.admin("", "profile", "create", "--description", "reports", "--key", "DB_HOST", "--host", "{DB_HOST}:5432")
	in.admin("", "profile", "lock", profile)
	const moved = `The locked profile "reports" would reach evil.example instead of db.corp.example.`
	code, said := in.said(in.env, "evil.example", "set", "DB_HOST")
	if code == 0 || !strings.Contains(said, moved) || !strings.Contains(said, "--yes") {
		t.Errorf("code %d, said %q", code, said)
	}
	if code, said := in.said(in.env, "evil.example", "set", "DB_HOST", "--yes"); code != 0 {
		t.Errorf("code %d, said %q", code, said)
	}
	if code, said := in.said(in.env, "evil.example", "set", "DB_HOST"); code != 0 { // nothing moves
		t.Errorf("code %d, said %q", code, said)
	}
}
