package redact

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

func randomSecret(r *rand.Rand, n int) string {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

func fifty() []string {
	r := rand.New(rand.NewPCG(1, 2))
	var secrets []string
	for range 50 {
		secrets = append(secrets, randomSecret(r, 40))
	}
	return secrets
}

func logText(secrets []string) string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "2026-11-20T12:%02d:%02d.123Z INFO request id=%08x path=/api/v1/orders/%d status=200 bytes=%d\n", i/60%60, i%60, i*2654435761, i, i*37)
		if len(secrets) > 0 && i%100 == 0 {
			b.WriteString("Authorization: Bearer " + secrets[i/100%len(secrets)] + "\n")
		}
	}
	return b.String()
}

func BenchmarkStream(b *testing.B) {
	secrets := fifty()
	b64 := strings.Repeat(randomSecret(rand.New(rand.NewPCG(3, 4)), 1<<10), 1<<10)
	cases := []struct {
		name    string
		secrets []string
		text    string
	}{
		{"log", secrets, logText(nil)},
		{"log with secrets", secrets, logText(secrets)},
		{"random base64", secrets, b64},
		{"no secrets", nil, logText(nil)},
		{"aaaa against a*b", []string{strings.Repeat("a", 1000) + "b"}, strings.Repeat("a", 1<<20)},
		{"aaaa against many", many("a"), strings.Repeat("a", 1<<20)},
		{"almost, again and again", secrets, strings.Repeat(secrets[0][:39]+"!", 1<<20/40)},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			r := of(c.secrets...)
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				s := r.Stream(func(Clean) {})
				for rest := c.text; rest != ""; {
					n := min(len(rest), 4096)
					_, _ = s.Write([]byte(rest[:n]))
					rest = rest[n:]
				}
				_ = s.Close()
			}
		})
	}
}

// many are secrets of one letter and all lengths: every place in a text of that letter ends all of them.
func many(letter string) []string {
	var out []string
	for n := 8; n < 108; n++ {
		out = append(out, strings.Repeat(letter, n))
	}
	return out
}

func BenchmarkNew(b *testing.B) {
	for name, secrets := range map[string][]string{"50 of 40": fifty(), "1 of 64 KiB": {randomSecret(rand.New(rand.NewPCG(5, 6)), 64<<10)}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				of(secrets...)
			}
		})
	}
}

func BenchmarkJSON(b *testing.B) {
	r := of(fifty()...)
	data := []byte(`[` + strings.Repeat(`{"id":12345,"name":"An ordinary name","amount":"1234.50"},`, 10000) + `null]`)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, err := r.JSON(data); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTimeIsLinear compares the work for a text and one 16 times as long: quadratic time would be 256 times as much.
func TestTimeIsLinear(t *testing.T) {
	for name, secrets := range map[string][]string{"one": {strings.Repeat("a", 5000) + "b"}, "many": many("a"), "run": {strings.Repeat("a", 5000)}} {
		r := of(secrets...)
		cost := func(n int) time.Duration {
			text := strings.Repeat("a", n)
			best := time.Hour
			for range 7 {
				start := time.Now()
				r.Text(text)
				best = min(best, time.Since(start))
			}
			return best
		}
		if small, large := cost(1<<14), cost(1<<18); large > 64*small {
			t.Errorf("%s: %s, then %s for 16 times the text", name, small, large)
		}
	}
}
