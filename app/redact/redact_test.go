package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/known"
	"github.com/computclaw/airlock/app/secrets"
)

const (
	long  = "s3cr3t-value-00123456789" // shows its last four
	other = "qqqqwwwweeeerrrrzzzztttt"
)

func TestText(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		secrets []string
		in      string
		want    string
		hits    int
	}{
		"nothing to do":        {[]string{long}, "an ordinary line\n", "an ordinary line\n", 0},
		"no secrets":           {nil, "text", "text", 0},
		"empty text":           {[]string{long}, "", "", 0},
		"raw":                  {[]string{long}, "token " + long + " sent", "token [REDACTED...6789] sent", 1},
		"inside a longer word": {[]string{long}, "x" + long + "y", "x[REDACTED...6789]y", 1},
		"twice in a row":       {[]string{long}, long + long, "[REDACTED...6789][REDACTED...6789]", 2},
		"24 characters":        {[]string{"0123456789abcdefghijklmn"}, "0123456789abcdefghijklmn", "[REDACTED...klmn]", 1},
		"23 characters":        {[]string{"0123456789abcdefghijklm"}, "0123456789abcdefghijklm", "[REDACTED]", 1},
		"last four are runes": {[]string{"pässwörter-sind-schön-éüöß"}, "=pässwörter-sind-schön-éüöß=",
			"=[REDACTED...éüöß]=", 1},
		"last four with space":  {[]string{"correct horse battery a b"}, "correct horse battery a b", "[REDACTED]", 1},
		"white space around":    {[]string{"  " + long + "\r\n"}, "[" + long + "]", "[[REDACTED...6789]]", 1},
		"equal under two names": {[]string{long, long, long + "\n"}, long, "[REDACTED...6789]", 1},

		"base64":                 {[]string{long}, "czNjcjN0LXZhbHVlLTAwMTIzNDU2Nzg5", "[REDACTED]", 1},
		"base64 without padding": {[]string{long}, "czNjcjN0LXZhbHVlLTAwMTIzNDU2Nzg5!", "[REDACTED]!", 1},
		"hex": {[]string{"hello-world"}, "68656c6c6f2d776f726c64 68656C6C6F2D776F726C64",
			"[REDACTED] [REDACTED]", 2},
		"percent, all":        {[]string{"hello-world"}, "%68%65%6c%6c%6f%2d%77%6f%72%6c%64", "[REDACTED]", 1},
		"percent, minimal":    {[]string{"hello/w@rld?"}, "x=hello%2Fw%40rld%3F&y", "x=[REDACTED]&y", 1},
		"percent, lower":      {[]string{"hello/w@rld?"}, "x=hello%2fw%40rld%3f&y", "x=[REDACTED]&y", 1},
		"percent, slash kept": {[]string{"hello/w@rld?"}, "x=hello/w%40rld%3F&y", "x=[REDACTED]&y", 1},
		"percent, plus": {[]string{"hello world!"}, "hello+world%21 hello%20world%21", "[REDACTED] [REDACTED]",
			2},
		"JSON":         {[]string{`say "hi" \now`}, `{"a":"say \"hi\" \\now"}`, `{"a":"[REDACTED]"}`, 1},
		"JSON, HTML":   {[]string{"a<b>&c-12345"}, `"a\u003cb\u003e\u0026c-12345"`, `"[REDACTED]"`, 1},
		"Python bytes": {[]string{"schlüssel-x"}, `b'schl\xc3\xbcssel-x'`, `b'[REDACTED]'`, 1},

		"short as a word": {[]string{"hunter2"}, "pw=hunter2, hunter2\nhunter2",
			"pw=[REDACTED], [REDACTED]\n[REDACTED]", 3},
		"short inside words": {[]string{"hunter2"}, "hunter22 xhunter2 _hunter2 hunter2_",
			"hunter22 xhunter2 _hunter2 hunter2_", 0},
		"short beside non-ASCII":      {[]string{"hunter2"}, "→hunter2←", "→[REDACTED]←", 1},
		"short with symbols at edges": {[]string{"$ab!"}, "x$ab!x", "x[REDACTED]x", 1},
		"three characters":            {[]string{"abc", " abc "}, "abc abc", "abc abc", 0},
		"eight characters in a word":  {[]string{"abcdefgh"}, "xabcdefghx", "x[REDACTED]x", 1},

		"inside another": {[]string{long, "value-00"}, long + " value-00", "[REDACTED...6789] [REDACTED]", 2},
		"long inside a longer": {[]string{long, "prefix-" + long + "-suffix"}, "prefix-" + long + "-suffix " +
			long, "[REDACTED...ffix] [REDACTED...6789]", 2},
		"common beginning": {[]string{"abcdefgh-1", "abcdefgh-22"}, "abcdefgh-1 abcdefgh-22 abcdefgh-",
			"[REDACTED] [REDACTED] abcdefgh-", 2},
		"overlapping": {[]string{"aaaaaaaabbbbbbbb", "bbbbbbbbcccccccc"}, "aaaaaaaabbbbbbbbcccccccc",
			"[REDACTED]", 1},
		"overlapping itself": {[]string{"abcabcabcabcabcabc"}, "abcabcabcabcabcabcabcabc.", "[REDACTED].", 1},
		"beside each other":  {[]string{long, other}, long + other, "[REDACTED...6789][REDACTED...tttt]", 2},
		"false start":        {[]string{"aabaabaac"}, "aabaabaabaac", "aab[REDACTED]", 1},
		"tail is a secret of its own": {[]string{"user:swordfish-tail", "tail"}, "user:swordfish-tail", "[REDACTED]",
			1},
		"tail lies in a secret": {[]string{"user:swordfish-word", "swords"}, "user:swordfish-word", "[REDACTED]",
			1},
		"a form at the tail": {[]string{"abcdefgh", "key:6162636465666768"}, "key:6162636465666768",
			"[REDACTED]", 1},

		"a mask as a secret": {[]string{"[REDACTED]", long}, "[REDACTED] " + long, "[REDACTED] [REDACTED...6789]",
			2},
		"REDACTED as a secret": {[]string{"REDACTED", long}, long + " REDACTED", "[REDACTED...6789] [REDACTED]", 2},
		"not UTF-8": {[]string{long}, "\xff" + long + "\xc3 \xe2\x82",
			"\uFFFD[REDACTED...6789]\uFFFD \uFFFD\uFFFD", 1},
		"NUL":                   {[]string{long}, "\x00" + long + "\x00", "\x00[REDACTED...6789]\x00", 1},
		"half a secret is kept": {[]string{long}, long[:13], long[:13], 0},

		"lines": {[]string{"first-L1ne-of-it\nsecond-L1ne\nx\n"},
			"second-L1ne\r\n  first-L1ne-of-it\nx", "[REDACTED]\r\n  [REDACTED]\nx", 2},
		"all lines as they are": {[]string{"first-line-of-it\nsecond-line-end"}, "first-line-of-it\nsecond-line-end",
			"[REDACTED...-end]", 1},
		"armour is no secret": {[]string{"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----"},
			"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg", "-----BEGIN PRIVATE KEY-----\n[REDACTED]", 1},
		"a key in a document": {[]string{`{"key":"-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----\n"}`}, "MIIEvQIBADANBg", "[REDACTED]", 1},

		"run of a long value": {[]string{strings.Repeat("0123456789", 9)}, "x " +
			strings.Repeat("30313233343536373839", 9) + " y", "x [REDACTED] y", 1},
		"run of half a long value": {[]string{strings.Repeat("0123456789", 9)}, "x " +
			strings.Repeat("30313233343536373839", 5) + " y", "x [REDACTED] y", 1},
		"percent in a long value": {[]string{strings.Repeat("0123/56789", 9)}, "u=" +
			strings.Repeat("0123%2F56789", 9) + "&", "u=[REDACTED]&", 1},
		"percent after a long head": {[]string{strings.Repeat("0123456789", 6) + "/x"}, "u=" +
			strings.Repeat("0123456789", 6) + "%2Fx&", "u=[REDACTED]&", 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r := of(c.secrets...)
			got, hits := maskText(r, c.in)
			if got.String() != c.want || hits != c.hits {
				t.Errorf("got %q, %d; want %q, %d", got, hits, c.want, c.hits)
			}
			for cut := range len(c.in) + 1 {
				if got, hits := stream(t, r, c.in[:cut], c.in[cut:]); got != c.want || hits != c.hits {
					t.Fatalf("cut at %d: got %q, %d", cut, got, hits)
				}
			}
			if got, hits := stream(t, r, strings.Split(c.in, "")...); got != c.want || hits != c.hits {
				t.Errorf("by character: got %q, %d", got, hits)
			}
		})
	}
}

// TestFinalPass has what a Stream shows less of a mask for: parts that only a look at the whole
// puts together.
func TestFinalPass(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		secrets []string
		in      string
		want    string
		hits    int
	}{
		"lines with CRLF": {[]string{"first-line-of-it\nsecond-line"}, "first-line-of-it\r\nsecond-line", "[REDACTED]",
			1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, hits := maskText(of(c.secrets...), c.in); got.String() != c.want || hits != c.hits {
				t.Errorf("got %q, %d; want %q, %d", got, hits, c.want, c.hits)
			}
		})
	}
}

// TestManyPrefixes: one matcher per secret, or one partial match at a time, loses secrets that
// begin within others.
func TestManyPrefixes(t *testing.T) {
	t.Parallel()
	r := of("abcdefghij", "cdefghijkl", "efghijklmn", "ghijklmnop")
	got, hits := stream(t, r, strings.Split("abcdefghijklmnop abcdefghcdefghijkl", "")...)
	if diff := cmp.Diff("[REDACTED] abcdefgh[REDACTED]", got); diff != "" || hits != 2 {
		t.Errorf("%d hits, %s", hits, diff)
	}
}

func TestRedactorPrintsNothing(t *testing.T) {
	t.Parallel()
	r := of(long)
	s := r.Stream(func(Clean) {})
	if _, err := s.Write([]byte(long[:10])); err != nil {
		t.Fatal(err)
	}
	for _, v := range []any{r, *r, s, *s} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%d", "%x"} {
			if text := fmt.Sprintf(verb, v); text != "[SECRET]" {
				t.Errorf("%T with %s prints %s", v, verb, text)
			}
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	c, _ := maskText(of(long), "é"+long)
	for n, want := range map[int]string{-1: "", 0: "", 1: "", 2: "é", 3: "é[", 100: c.String(), c.Len(): c.String()} {
		if got := c.Truncate(n).String(); got != want {
			t.Errorf("Truncate(%d): %q", n, got)
		}
	}
}

// TestHoleF7ShortLines: a script that doesn't hold a value could find the short lines of it in a
// dictionary, by what is masked.
func TestHoleF7ShortLines(t *testing.T) {
	const long = "MIIEvQIBADANBgkq"
	for _, text := range []string{"reporting-service\nSummer2024-abcde\n" + long,
		`reporting-service\nSummer2024-abcde\n` + long + `\r\nSpring25`} {
		for name, v := range map[string]secrets.Resolved{
			"sealed":    {Placeholder: "airlock_sealed_0a1b2c3d4e5f"},
			"of others": {Held: secrets.ByHosts},
			"held":      {},
		} {
			v.Key, v.Secret = "KEY", app.NewSecret(text)
			r := New([]secrets.Resolved{v})
			for _, guess := range []string{"Summer2024-abcd", "Summer2024", "reporting", "Spring25", long[:15]} {
				for _, in := range []string{guess, known.Reverse(guess), base64.StdEncoding.EncodeToString([]byte(guess))} {
					if got, n := maskText(r, in); name != "held" && (n != 0 || got.String() != in) {
						t.Errorf("%s: %q becomes %q", name, in, got)
					}
				}
			}
			for _, line := range []string{"Summer2024-abcde", long, text} {
				if got, n := maskText(r, line); n != 1 || maskShape.ReplaceAllString(got.String(), "") != "" {
					t.Errorf("%s: %q becomes %q", name, line, got)
				}
			}
		}
	}
}

// TestConcurrentUse: one Redactor serves the output while it comes, questions and pages at the same
// time. What it works out when it is first needed must not depend on who needs it.
func TestConcurrentUse(t *testing.T) {
	t.Parallel()
	forms := []string{base64.StdEncoding.EncodeToString([]byte(long)), hex.EncodeToString([]byte(long)),
		strings.Join(strings.Split(long, ""), "-"), known.Reverse(long), long, "s3cr3t-value", "aabaab" + long}
	text := strings.Join(forms, "\n") + "\n"
	use := func(r *Redactor) string {
		whole, _ := r.Text(text)
		cut, _ := r.Cut(text + long[:9])
		data, _ := json.Marshal(forms)
		result, _, err := resultOf(r, data)
		if err != nil {
			t.Error(err)
		}
		var live strings.Builder
		s := r.Stream(func(c Clean) { live.WriteString(c.String()) })
		for rest := text; rest != ""; {
			n := min(len(rest), 5)
			_, _ = s.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		_ = s.Close()
		return whole.String() + cut.String() + result.String() + live.String()
	}
	values := []secrets.Resolved{{Key: "A", Secret: secretOf(long)},
		{Key: "B", Secret: secretOf(other), Placeholder: "airlock_sealed_0a1b2c3d4e5f"}}
	want := use(New(values))
	if strings.Contains(want, long) {
		t.Fatal(want)
	}
	for range 5 {
		r := New(values)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if got := use(r); got != want {
					t.Errorf("together %q, alone %q", got, want)
				}
			})
		}
		all.Wait()
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	c := Clean{strings.Repeat("é", 50) + "ab" + strings.Repeat("ü", 50)}
	if got := c.Ends(c.Len()); got != c {
		t.Errorf("whole: %s", got)
	}
	for n := range c.Len() {
		got := c.Ends(n).String()
		if len(got) > n || !utf8.ValidString(got) {
			t.Errorf("%d: %q", n, got)
		}
		if n > 60 && (!strings.HasPrefix(got, "éé") || !strings.HasSuffix(got, "üü") ||
			!strings.Contains(got, fmt.Sprintf("\n… %d bytes …\n", c.Len()-n))) {
			t.Errorf("%d: %q", n, got)
		}
	}
}
