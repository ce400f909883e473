package format

import (
	"strings"
	"testing"
	"time"
)

func TestPlainTakesTerminalSequencesOut(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain [32m text":                                 "plain [32m text",
		"\x1b[32mgreen\x1b[0m":                            "green",
		"\x1b[1;38;5;208mbold\x1b[m and \x1b[2Kmore":      "bold and more",
		"\u009b31mred\u009b0m":                            "red",
		"\x1b]0;title\atext":                              "text",
		"\x1b]8;;https://a.test/\x1b\\link\x1b]8;;\x1b\\": "link",
		"\x1b(Bcharset \x1b7saved\x1b8":                   "charset saved",
		"\x1b]0;no end, so this stays":                    "0;no end, so this stays",
		"end\x1b":                                         "end",
		"end\x1b[":                                        "end",
		"a\x1b\nb":                                        "a\nb",
		"a\x1b[3\nb":                                      "a\nb",
		"ünïcode\x1b[0m ü":                                "ünïcode ü",
		"\x1bü":                                           "ü",
	} {
		if got := Plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	began := time.Now()
	Plain(strings.Repeat("\x1b]", 1<<17))
	Plain(strings.Repeat("\x1b[1;", 1<<17))
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("openings took %s", took)
	}
}
