package redact

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestKnownMaskers has what the tests of other maskers are about, in our own words and with our
// masks: the stream replacer of Buildkite's agent (internal/replacer), the masking writer of
// GitLab's runner (common/buildlogger/internal/masker) and the value encoders of GitHub's runner
// (src/Sdk/DTLogging/Logging/ValueEncoders.cs). writes are given one by one.
func TestKnownMaskers(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		secrets []string
		writes  []string
		want    string
	}{
		// Buildkite
		"two secrets with one beginning": {[]string{"lamplight", "lamplighter"},
			[]string{"the lampl", "ighter and the lamplight."}, "the [REDACTED] and the [REDACTED]."},
		"one ends where the other begins": {[]string{"windowsill", "sillyseason"},
			[]string{"windowsillyseason"}, "[REDACTED]"},
		"a false start, then the secret": {[]string{"nananabatman"}, []string{"nanananana", "nabatman!"},
			"nanana[REDACTED]!"},
		"spread over many writes": {[]string{"drizzle-morning"},
			strings.Split("a drizzle-morning b", ""), "a [REDACTED] b"},
		"line breaks in a secret that become CRLF": {[]string{"first-half\nsecond-half"},
			[]string{"first-half\r", "\nsecond-half\r\n"}, "[REDACTED]\r\n"},
		"at the very end, without a line break": {[]string{"drizzle-morning"}, []string{"x drizzle-", "morning"},
			"x [REDACTED]"},
		"cut off at the end is no secret": {[]string{"drizzle-morning"}, []string{"x drizzle-morn"},
			"x drizzle-morn"},
		"text of more than one byte around": {[]string{"ünïcödé-sëcrét"}, []string{"→ünïcödé-s", "ëcrét←"},
			"→[REDACTED]←"},
		// GitLab
		"overlapping itself over a boundary": {[]string{"aabaabaab"}, []string{"aabaa", "baabaab."}, "[REDACTED]."},
		"one phrase within another": {[]string{"outer-inner-outer", "-inner-o"},
			[]string{"outer-in", "ner-outer x-inner-ox"}, "[REDACTED] x[REDACTED]x"},
		"the rest of a phrase is text": {[]string{"breakfast", "breakwater"},
			[]string{"break", "fas", "x breakwate", "r"}, "breakfasx [REDACTED]"},
		"one byte at a time, back to back": {[]string{"tick-tock"}, strings.Split("tick-tocktick-tock", ""),
			"[REDACTED][REDACTED]"},
		"the mask's own words": {[]string{"REDACTED"}, []string{"REDACTED ", "[REDACTED]"},
			"[REDACTED] [[REDACTED]]"},
		// GitHub
		"base64 behind one byte": {[]string{"drizzle-morning"},
			[]string{base64.StdEncoding.EncodeToString([]byte("!drizzle-morning"))}, "IW[REDACTED]w=="},
		"base64 behind two bytes": {[]string{"drizzle-morning"},
			[]string{base64.StdEncoding.EncodeToString([]byte("!!drizzle-morning"))}, "ISF[REDACTED]c="},
		"JSON string": {[]string{`say "drizzle"` + "\t/"}, []string{`{"m":"say \"drizzle\"\t/"}`},
			`{"m":"[REDACTED]"}`},
		"XML": {[]string{"<drizzle&morning>"}, []string{"<v>&lt;drizzle&amp;morning&gt;</v>"},
			"<v>[REDACTED]</v>"},
		"command line, single quotes": {[]string{"driz'zle mor'ning"},
			[]string{`sh -c 'echo driz'"'"'zle mor'"'"'ning'`}, `sh -c 'echo [REDACTED]'`},
		"URI data": {[]string{"drizzle morning/?"}, []string{"q=drizzle%20morning%2F%3F&x"},
			"q=[REDACTED]&x"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, _ := stream(t, of(c.secrets...), c.writes...); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
