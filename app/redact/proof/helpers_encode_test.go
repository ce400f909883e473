package proof

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math/rand/v2"
	"mime/quotedprintable"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// encoder writes a text in another way. What it makes is text again. Those that take no character
// for itself write it between others, too: see within.
type encoder struct {
	name   string
	encode func(r *rand.Rand, text string) string
}

// encoders returns all of them.
func encoders() []encoder {
	plain := func(f func(string) string) func(*rand.Rand, string) string {
		return func(_ *rand.Rand, text string) string { return f(text) }
	}
	return []encoder{
		{"base64", func(r *rand.Rand, text string) string {
			return base64.StdEncoding.EncodeToString([]byte(within(r, text)))
		}},
		{"base64url", func(r *rand.Rand, text string) string {
			return base64.RawURLEncoding.EncodeToString([]byte(within(r, text)))
		}},
		{"base64 lines", func(r *rand.Rand, text string) string {
			return lines(base64.StdEncoding.EncodeToString([]byte(within(r, text))), 76, pick(r, "\n", "\r\n"))
		}},
		{"base32", func(r *rand.Rand, text string) string {
			return base32.StdEncoding.EncodeToString([]byte(within(r, text)))
		}},
		{"hex", func(r *rand.Rand, text string) string { return hex.EncodeToString([]byte(within(r, text))) }},
		{"HEX", plain(func(text string) string { return strings.ToUpper(hex.EncodeToString([]byte(text))) })},
		{"hex list", func(r *rand.Rand, text string) string {
			return joined([]byte(text), pick(r, " ", ":", ",", "-"),
				func(b byte) string { return fmt.Sprintf("%02x", b) })
		}},
		{"decimal list", func(r *rand.Rand, text string) string {
			return "[" + joined([]byte(text), pick(r, ", ", ",", " "),
				func(b byte) string { return strconv.Itoa(int(b)) }) + "]"
		}},
		{"percent", plain(url.QueryEscape)},
		{"percent all", plain(func(text string) string {
			return joined([]byte(text), "", func(b byte) string { return fmt.Sprintf("%%%02x", b) })
		})},
		{"JSON", plain(func(text string) string { out, _ := json.Marshal(text); return string(out) })},
		{"JSON u", plain(func(text string) string {
			var b strings.Builder
			for _, u := range utf16.Encode([]rune(text)) {
				fmt.Fprintf(&b, `\u%04x`, u)
			}
			return b.String()
		})},
		{"Go quote", plain(strconv.QuoteToASCII)},
		{"HTML", plain(html.EscapeString)},
		{"HTML numbers", plain(func(text string) string {
			var b strings.Builder
			for _, c := range text {
				fmt.Fprintf(&b, "&#%d;", c)
			}
			return b.String()
		})},
		{"quoted-printable", plain(func(text string) string {
			var b strings.Builder
			w := quotedprintable.NewWriter(&b)
			_, _ = io.WriteString(w, text)
			_ = w.Close()
			return b.String()
		})},
		{"reversed",
			plain(func(text string) string { runes := []rune(text); slices.Reverse(runes); return string(runes) })},
		{"UTF-16 base64", plain(func(text string) string {
			var out []byte
			for _, u := range utf16.Encode([]rune(text)) {
				out = append(out, byte(u), byte(u>>8))
			}
			return base64.StdEncoding.EncodeToString(out)
		})},
		{"spaced", func(r *rand.Rand, text string) string {
			sign := pick(r, " ", ".", "-", "_")
			for strings.Contains(text, sign) { // what has the sign itself isn't promised
				sign = pick(r, " ", ".", "-", "_", "|", "~", ";")
			}
			return strings.Join(strings.Split(text, ""), sign)
		}},
	}
}

// within puts a text between a few bytes, so that its encoded form begins at any alignment.
func within(r *rand.Rand, text string) string {
	switch r.IntN(3) {
	case 0:
		return text
	case 1:
		return "user:" + text
	}
	return strings.Repeat("p", r.IntN(5)) + "{\"k\": \"" + text + "\"}" + strings.Repeat("q", r.IntN(5))
}

func joined(text []byte, between string, write func(byte) string) string {
	parts := make([]string, len(text))
	for i, b := range text {
		parts[i] = write(b)
	}
	return strings.Join(parts, between)
}

func lines(text string, width int, end string) string {
	var b strings.Builder
	for ; len(text) > width; text = text[width:] {
		b.WriteString(text[:width] + end)
	}
	return b.String() + text
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }
