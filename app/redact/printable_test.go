package redact

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"mime/quotedprintable"
	"strings"
	"testing"
)

// TestQuotedPrintableOfSpacesAndSigns: encoders may write spaces and signs as escapes too, each
// between letters, as Python's quotetabs=True and the headers of mail do.
func TestQuotedPrintableOfSpacesAndSigns(t *testing.T) {
	t.Parallel()
	for secret, form := range map[string]string{
		"correct horse battery 42!":  "correct=20horse=20battery=2042!",
		"sk_live_XmI63JozGw82KwD6rQ": "sk=5Flive=5FXmI63JozGw82KwD6rQ",
		"MK$%Ye9FZ1wU/Vl4&nu'Zq9":    "MK=24=25Ye9FZ1wU/Vl4=26nu=27Zq9",
		"u@h.example (k3v8x1q7w5)":   "u=40h=2Eexample_=28k3v8x1q7w5=29",
	} {
		for _, text := range []string{"=?utf-8?q?" + form + "?=", strings.ToUpper(fmt.Sprintf("%x", form))} {
			out, hits := of(secret).Text("of: " + text + " end")
			if strings.Contains(out.String(), text[len(text)/3:2*len(text)/3]) || hits.Total() != 1 {
				t.Errorf("%q: %s", text, out)
			}
		}
	}
}

// TestListInQuotedPrintable: the escape of a space stands before digits, as in a number.
func TestListInQuotedPrintable(t *testing.T) {
	t.Parallel()
	const secret = "kASAOsE1nYEZ9GlGHpYaax7L"
	for _, verb := range []string{"%d", "%03o", "%08b", "%c"} {
		var numbers []string
		for _, c := range []byte(secret) {
			numbers = append(numbers, fmt.Sprintf(verb, c))
		}
		text := strings.Join(numbers, "=20")
		if out, _ := of(secret).Text("of: " + text + " end"); strings.Contains(out.String(),
			text[len(text)/3:2*len(text)/3]) {
			t.Errorf("%s: %s", verb, out)
		}
	}
}

// TestCompressedInQuotedPrintable: of compressed data a byte that has to be an escape often stands
// alone.
func TestCompressedInQuotedPrintable(t *testing.T) {
	t.Parallel()
	for i := range 60 {
		secret := fmt.Sprintf("K3xw9Zq%dLmN7pRt5VbY%dc2Ds8", i*i*7919, i)
		for name, open := range map[string]func(io.Writer) io.WriteCloser{
			"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
			"zlib": func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) },
		} {
			var packed, form bytes.Buffer
			w := open(&packed)
			_, _ = io.WriteString(w, secret)
			_ = w.Close()
			q := quotedprintable.NewWriter(&form)
			q.Binary = true
			_, _ = q.Write(packed.Bytes())
			_ = q.Close()
			if out, hits := of(secret).Text("of: " + form.String() + " end"); hits.Total() == 0 {
				t.Errorf("%s of %s: %s", name, secret, out)
			}
		}
	}
}

// TestBase85BehindEqualsSign: with that it began like an escape, which took its first two digits
// away.
func TestBase85BehindEqualsSign(t *testing.T) {
	t.Parallel()
	got, _ := of("685165596e544e3554374e425a4a6533").Text(`of =2E3QK2Dm?P2J"a&1hAI#2)I*J1hAL!2.8=3DM2Dm9H`)
	if want := "of =[REDACTED]"; got.String() != want {
		t.Errorf("%q, want %q", got, want)
	}
}
