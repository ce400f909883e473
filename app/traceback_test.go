package app_test

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

func TestSplitTraceback(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, summary string }{
		{"Traceback (most recent call last):\n  File \"script.py\", line 1, in <module>\n    foo\nNameError: name " +
			"'foo' is not defined", "NameError: name 'foo' is not defined"},
		{"Traceback (most recent call last):\n  File \"script.py\", line 1, in <module>\nKeyError: 'x'\n",
			"KeyError: 'x'"},
		{"  File \"script.py\", line 1\n    f(\n     ^\nSyntaxError: '(' was never closed",
			"SyntaxError: '(' was never closed"},
		{"Traceback (most recent call last):\n  File \"a\", line 1\nKeyError: 1\n\nDuring handling of the above " +
			"exception, " +
			"another exception occurred:\n\nTraceback (most recent call last):\n  File \"script.py\", line 3\n    " +
			"x\nValueError: two\nlines", "ValueError: two\nlines"},
		{"OSError: deep\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most " +
			"recent call last):\n  File \"script.py\", line 2\n    f()\n    ^^^\nhttpx.ConnectError: [Errno -2]\n",
			"httpx.ConnectError: [Errno -2]"},
		{"Traceback (most recent call last):\n  File \"script.py\", line 1\n    assert 0\nAssertionError",
			"AssertionError"},
		{"Traceback (most recent call last):\n  File \"script.py\", line 1\n    f()\nOSError: no address\n\na.example is not " +
			"on this profile's host list.", "OSError: no address\n\na.example is not on this profile's host list."},
	} {
		summary, traceback := app.SplitTraceback(c.text)
		first, rest, _ := strings.Cut(c.summary, "\n")
		if summary != c.summary || traceback != strings.TrimSuffix(strings.TrimSuffix(c.text, "\n"), "\n"+rest) ||
			!strings.HasSuffix(traceback, first) {
			t.Errorf("%q: summary %q, traceback %q", c.text, summary, traceback)
		}
	}
	const plain = "the script used more than 512 MiB of memory and was stopped"
	if summary, traceback := app.SplitTraceback(plain + "\n"); summary != plain || traceback != "" {
		t.Errorf("plain text became %q and %q", summary, traceback)
	}
}

// The first line of an exception's message states the problem.
func TestErrorLine(t *testing.T) {
	t.Parallel()
	const start = "Traceback (most recent call last):\n  File \"script.py\", line 4, in <module>\n    " +
		"r.raise_for_status()\n"
	for text, want := range map[string]string{
		start + "httpx.HTTPStatusError: Client error '401 Unauthorized' for url 'https://a.test/'\n" +
			"For more information check: https://developer.mozilla.org/401": "httpx.HTTPStatusError: Client error " +
			"'401 Unauthorized' for url 'https://a.test/'",
		start + "httpx.ConnectError: no address\nfx.acme.test:443 is not on this profile's host list.": "httpx.ConnectError: " +
			"no address",
		"cancelled by a person":      "cancelled by a person",
		"the limit\nwas 4 MiB":       "the limit",
		"":                           "",
		start + "KeyError: 'a: b'\n": "KeyError: 'a: b'",
	} {
		if got := app.ErrorLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
