package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

// The help of airlock admin exceeds a screen: a command's own lines come first, its mistake last.
func TestAdminShowsTheUsageOfOneCommand(t *testing.T) {
	say := func(args ...string) (out, err []string) {
		var o, e bytes.Buffer
		run(t.Context(), cli.Console{In: strings.NewReader(""), Out: &o, Err: &e}, append([]string{"admin"}, args...))
		split := func(b bytes.Buffer) []string { return strings.Split(strings.TrimRight(b.String(), "\n"), "\n") }
		return split(o), split(e)
	}
	for _, x := range []struct {
		args       []string
		has, hasnt string
		last       string // line of standard error; "" if the usage is asked for
	}{
		{[]string{"export", "--help"}, "--no-history", "--preview", ""},
		{[]string{"export"}, "--no-history", "--preview", "airlock: admin export: FILE is missing"},
		{[]string{"export", "a", "b"}, "  export FILE", "  import FILE",
			`airlock: admin export: "b" is one argument too many`},
		{[]string{"profile", "lock", "--helb"}, "  profile lock ID", "  profile hosts",
			"airlock: admin profile lock: flag provided but not defined: -helb"},
		{[]string{"profile", "--help"}, "  profile lock ID", "  credential set", ""},
		{[]string{"key", "rotate", "--help"}, "  key rotate", "  vacuum", ""},
		{[]string{"exprot"}, "exprot", "  export FILE",
			`airlock: admin: there is no "exprot"; did you mean export? (airlock admin --help)`},
		{[]string{"--help"}, "  export FILE", "no such text", ""},
		{nil, "  export FILE", "no such text", "airlock: admin: which command?"},
	} {
		out, err := say(x.args...)
		shown, empty := out, err
		if x.last != "" {
			shown, empty = err, out
		}
		text := strings.Join(shown, "\n")
		if !strings.Contains(text, x.has) || strings.Contains(text, x.hasnt) || strings.Join(empty, "") != "" ||
			x.last != "" && shown[len(shown)-1] != x.last {
			t.Errorf("%v:\n%s\n%s", x.args, strings.Join(out, "\n"), strings.Join(err, "\n"))
		}
	}
}
