package redact

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app/redact/jsontext"
)

func TestJSON(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		secrets  []string
		in, want string
		hits     int
	}{
		"strings": {[]string{long}, ` {"a" : ["x` + long + `", null, true, ""]} `,
			`{"a":["x[REDACTED...6789]",null,true,""]}`, 1},
		"a string alone": {[]string{long}, `"` + long + `"`, `"[REDACTED...6789]"`, 1},
		"keys": {[]string{long}, `{"` + long + `":"` + long + `"}`,
			`{"[REDACTED...6789]":"[REDACTED...6789]"}`, 2},
		"escaped in JSON": {[]string{"a\"b\\c/d<é>😀"}, `["a\"b\\c\/d\u003c\u00e9>\ud83d\ude00"]`, `["[REDACTED]"]`,
			1},
		"every character": {[]string{"abcdefgh"}, `["\u0061\u0062\u0063\u0064\u0065\u0066\u0067\u0068"]`,
			`["[REDACTED]"]`, 1},
		"encoded in a string": {[]string{"hello-world"}, `["68656c6c6f2d776f726c64"]`, `["[REDACTED]"]`, 1},
		"JSON in a string": {[]string{"say \"hi\" now"}, `["{\"a\":\"say \\\"hi\\\" now\"}"]`,
			`["{\"a\":\"[REDACTED]\"}"]`, 1},

		"numbers as written": {[]string{long}, `[1.0,1e400,-0,0.10,123456789012345678901234567890,1E+2]`,
			`[1.0,1e400,-0,0.10,123456789012345678901234567890,1E+2]`, 0},
		"a number": {[]string{"1234567890"}, `{"n":1234567890,"m":-11234567890.5}`,
			`{"n":"[REDACTED]","m":"-1[REDACTED].5"}`, 2},
		"a long number":         {[]string{"1234567890123456"}, `[1234567890123456]`, `["[REDACTED]"]`, 1},
		"a PIN is not a number": {[]string{"1234"}, `[1234,12.1234,"1234"]`, `[1234,12.1234,"[REDACTED]"]`, 1},
		"in order, compact":     {nil, "{\"b\": 1,\n \"a\": {\"d\":2, \"c\":3}}", `{"b":1,"a":{"d":2,"c":3}}`, 0},
		"HTML stays":            {nil, `["<a href='x'>&</a>"]`, `["<a href='x'>&</a>"]`, 0},
		"last of equal keys":    {[]string{long}, `{"a":"` + long + `","b":2,"a":1}`, `{"a":1,"b":2}`, 0},
		"lone surrogate":        {nil, `["\ud800x"]`, `["` + "\uFFFD" + `x"]`, 0},
		"NUL":                   {nil, `["\u0000"]`, `["\u0000"]`, 0},
		"keys that become equal": {[]string{"abcdefgh", "ijklmnop"}, `{"ijklmnop":2,"abcdefgh":1,"x":3}`,
			`{"[REDACTED] (2)":2,"[REDACTED]":1,"x":3}`, 2},
		"keys without one stay": {[]string{"abcdefgh", "ijklmnop"},
			`{"ijklmnop":2,"abcdefgh":1,"[REDACTED]":3,"[REDACTED] (3)":4}`,
			`{"[REDACTED] (4)":2,"[REDACTED] (2)":1,"[REDACTED]":3,"[REDACTED] (3)":4}`, 2},
		"as deep as allowed": {[]string{long}, strings.Repeat("[", jsontext.MaxDepth) + strings.Repeat("]", jsontext.MaxDepth),
			strings.Repeat("[", jsontext.MaxDepth) + strings.Repeat("]", jsontext.MaxDepth), 0},
		"brackets in strings": {nil, `["` + strings.Repeat(`[\"`, 300) + `"]`, `["` + strings.Repeat(`[\"`, 300) +
			`"]`, 0},
		// the final pass's work
		"split between elements":  {[]string{"abcdefghijkl"}, `["abcdef","ghijkl"]`, `["abcdef","ghijkl"]`, 0},
		"a word is a whole value": {[]string{"hunter2"}, `["hunter2","xhunter2"]`, `["[REDACTED]","xhunter2"]`, 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, hits, err := jsonOf(of(c.secrets...), []byte(c.in))
			if err != nil || got.String() != c.want || hits != c.hits {
				t.Errorf("got  %s, %d, %v\nwant %s, %d", got, hits, err, c.want, c.hits)
			}
		})
	}
}

func TestJSONIsRefused(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"nothing": "", "space": " ", "word": "nope-" + long, "two": "1 2", "two objects": "{}{}", "trailing": "[1]]",
		"open": `{"a":1`, "comma": "[1,]", "comment": "[1] // x",
		"NaN": "NaN", "Infinity": "[-Infinity]", "leading zero": "[01]", "single quotes": "['a']",
		"raw line break": "[\"a\nb\"]", "not UTF-8": "[\"\xff\"]",
		"too deep":      strings.Repeat("[", jsontext.MaxDepth+1) + strings.Repeat("]", jsontext.MaxDepth+1),
		"far too deep":  strings.Repeat(`{"a":`, 100000),
		"secret in key": `{"` + long + `":}`,
	}
	for name, in := range cases {
		t.Run(name, func(t *testing.T) {
			got, hits, err := jsonOf(of(long), []byte(in))
			if !errors.Is(err, ErrJSON) || got.String() != "" || hits != 0 {
				t.Fatalf("got %q, %d, %v", got, hits, err)
			}
			if strings.Contains(err.Error(), long[:8]) {
				t.Errorf("the error tells the data: %v", err)
			}
		})
	}
}

// TestJSONKeepsShape: what holds no secret stays what it is, and masking twice changes nothing.
func TestJSONKeepsShape(t *testing.T) {
	t.Parallel()
	redactor := of("abcdefgh", "12345678")
	leaf := rapid.OneOf(
		rapid.Map(rapid.SampledFrom([]string{"abcdefgh", "x", "", "é\"\\", "xabcdefghx", "6162636465666768"}),
			func(s string) any { return s }),
		rapid.Map(rapid.SampledFrom([]string{"12345678", "1", "0.50", "-912345678e3"}),
			func(s string) any { return json.Number(s) }),
		rapid.Map(rapid.SampledFrom([]any{nil, true, false}), func(v any) any { return v }))
	value := leaf
	for range 3 {
		value = rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(value, 0, 4), func(v []any) any { return v }),
			rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "abcdefgh", "-abcdefgh", "[REDACTED]",
				"[REDACTED] (2)", "YWJjZGVmZ2g="}), value, 0, 5), func(v map[string]any) any { return v }))
	}
	rapid.Check(t, func(r *rapid.T) {
		in, err := json.Marshal(value.Draw(r, "value"))
		if err != nil {
			r.Fatal(err)
		}
		got, _, err := jsonOf(redactor, in)
		if err != nil {
			r.Fatalf("%s: %v", in, err)
		}
		if strings.Contains(got.String(), "abcdefgh") || strings.Contains(got.String(), "12345678") {
			r.Fatalf("%s became %s", in, got)
		}
		if shape(r, in) != shape(r, []byte(got.String())) {
			r.Fatalf("%s became %s", in, got)
		}
		again, hits, err := jsonOf(redactor, json.RawMessage(got.String()))
		if err != nil || hits != 0 || again != got {
			r.Fatalf("%s became %s, then %s", in, got, again)
		}
	})
}

// shape is the nesting of a JSON value with the number of elements, without names and leaves.
func shape(r *rapid.T, data []byte) string {
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		r.Fatal(err)
	}
	return countShape(v)
}

func countShape(v any) string {
	total := map[string]int{}
	children := []any{}
	switch v := v.(type) {
	case []any:
		children = v
	case map[string]any:
		for _, c := range v {
			children = append(children, c)
		}
	default:
		return "."
	}
	for _, c := range children {
		total[countShape(c)]++
	}
	text, _ := json.Marshal(total)
	return string(text)
}

// TestSeparatedKeyIsMasked: signs stand behind escaped characters of a key, too.
func TestSeparatedKeyIsMasked(t *testing.T) {
	t.Parallel()
	const value = `%:RB0@E]'k"9\Q<z7Lm'"'`
	for _, sign := range []string{".", "-", "_", " "} {
		text, _ := json.Marshal(map[string]int{strings.Join(strings.Split(value, ""), sign): 1})
		clean, hits, err := resultOf(of(value), text)
		if err != nil || hits.Total() == 0 || strings.Contains(clean.String(), "L"+sign+"m") {
			t.Errorf("%q: %s, %v, %v", sign, clean, hits, err)
		}
	}
}

// TestEncodedValuesCutOverStringsAreMasked: an encoded value's first and last bits may stand in a
// character of its neighbours, and so alone in a string.
func TestEncodedValuesCutOverStringsAreMasked(t *testing.T) {
	r := of("866rJgF1Zhwg")
	for name, encode := range map[string]func([]byte) string{
		"base64": base64.StdEncoding.EncodeToString, "base32": base32.StdEncoding.EncodeToString,
	} {
		for before := range 6 {
			text := encode([]byte("user:"[:min(before, 5)] + "866rJgF1Zhwg!"))
			for cut := range len(text) + 1 {
				for _, ahead := range []string{"", "\n "} { // written with an escape
					in, _ := json.Marshal([]string{ahead + text[:cut], text[cut:]})
					if got, _, err := jsonOf(r, in); err != nil || !strings.Contains(got.String(), "[REDACTED]") {
						t.Errorf("%s behind %d bytes: %s, %v", name, before, got, err)
					}
				}
			}
		}
	}
}
