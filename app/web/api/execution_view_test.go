package api

import "testing"

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
	} {
		summary, traceback := splitTraceback(c.text)
		if summary != c.summary || traceback != c.text {
			t.Errorf("%q: summary %q", c.text, summary)
		}
	}
	const plain = "the script used more than 512 MiB of memory and was stopped"
	if summary, traceback := splitTraceback(plain); summary != plain || traceback != "" {
		t.Errorf("plain text became %q and %q", summary, traceback)
	}
}
