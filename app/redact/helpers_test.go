package redact

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
)

// of returns a Redactor for secrets, named A, B, ….
func of(texts ...string) *Redactor {
	var values []secrets.Resolved
	for i, s := range texts {
		values = append(values, secrets.Resolved{Key: string(rune('A' + i)), Secret: app.NewSecret(s)})
	}
	return New(values)
}

// stream writes the pieces and returns all that was emitted.
func stream(t testing.TB, r *Redactor, pieces ...string) (string, int) {
	t.Helper()
	var out strings.Builder
	s := r.Stream(func(c Clean) {
		if c.Len() == 0 {
			t.Errorf("empty text was emitted")
		}
		out.WriteString(c.String())
	})
	for _, p := range pieces {
		if n, err := s.Write([]byte(p)); n != len(p) || err != nil {
			t.Fatalf("Write: %d, %v", n, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String(), s.Hits().Total()
}

var maskShape = regexp.MustCompile(`(?s)\[REDACTED(?:\.\.\..{4})?\]`)

// unmasked returns the parts of a redacted text between its masks.
func unmasked(text string) []string { return maskShape.Split(text, -1) }

// maskText and its like are the methods with the number of masked places.
func maskText(r *Redactor, in string) (Clean, int) {
	got, hits := r.Text(in)
	return got, hits.Total()
}

func cutText(r *Redactor, in string) (Clean, int) {
	got, hits := r.Cut(in)
	return got, hits.Total()
}

// resultOf masks the result of an execution that has nothing else.
func resultOf(r *Redactor, data []byte) (Clean, Hits, error) {
	out, err := r.Execution(Execution{Result: data})
	if err != nil {
		return Clean{}, nil, err
	}
	return *out.Result, out.Hits["result"], nil
}

func jsonOf(r *Redactor, data []byte) (Clean, int, error) {
	got, hits, err := resultOf(r, data)
	return got, hits.Total(), err
}

func secretOf(text string) app.Secret { return app.NewSecret(text) }

func keyOf(value string) *Redactor {
	return New([]secrets.Resolved{{Key: "KEY", Secret: app.NewSecret(value)}})
}

func randomSecret(r *rand.Rand, n int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

func randomSecrets(n int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	var secrets []string
	for range n {
		secrets = append(secrets, randomSecret(r, 40))
	}
	return secrets
}

// wrap puts a break behind every width bytes.
func wrap(text string, width int, with string) string {
	var b strings.Builder
	for len(text) > width {
		b.WriteString(text[:width] + with)
		text = text[width:]
	}
	return b.String() + text
}

// cut cuts a text at random places.
func cut(r *rapid.T, text string) []string {
	var pieces []string
	for len(text) > 0 {
		n := rapid.IntRange(1, min(len(text), rapid.SampledFrom([]int{1, 3, 40}).Draw(r, "size"))).Draw(r, "cut")
		pieces = append(pieces, text[:n])
		text = text[n:]
	}
	return pieces
}
