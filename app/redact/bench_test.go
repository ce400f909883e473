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

func fifty() []string { return randomSecrets(50) }

func randomBytes(n int) string {
	r, b := rand.New(rand.NewPCG(13, 14)), make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
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

func logText(secrets []string) string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b,
			"2026-11-20T12:%02d:%02d.123Z INFO request id=%08x path=/api/v1/orders/%d status=200 bytes=%d\n", i/60%60,
			i%60, i*2654435761, i, i*37)
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
		{"log, 1 value", secrets[:1], logText(nil)},
		{"log, 1000 values", randomSecrets(1000), logText(nil)},
		{"binary", secrets, randomBytes(1 << 20)},
	}
	for _, c := range cases {
		b.Run(c.name, func(b *testing.B) {
			r := of(c.secrets...)
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			start := cpu()
			for b.Loop() {
				s := r.Stream(func(Clean) {})
				for rest := c.text; rest != ""; {
					n := min(len(rest), 4096)
					_, _ = s.Write([]byte(rest[:n]))
					rest = rest[n:]
				}
				_ = s.Close()
			}
			b.ReportMetric(float64(len(c.text)*b.N)/(1<<20)/(cpu()-start).Seconds(), "MiB/cpu-s")
		})
	}
}

// BenchmarkBeside is what there is to compare with: copying, and the standard library's way to
// replace 50 texts.
func BenchmarkBeside(b *testing.B) {
	text := logText(nil)
	var pairs []string
	for _, secret := range fifty() {
		pairs = append(pairs, secret, maskPlain)
	}
	replacer := strings.NewReplacer(pairs...)
	for name, work := range map[string]func(){
		"copying":             func() { _ = strings.Clone(text) },
		"strings.NewReplacer": func() { _ = replacer.Replace(text) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			start := cpu()
			for b.Loop() {
				work()
			}
			b.ReportMetric(float64(len(text)*b.N)/(1<<20)/(cpu()-start).Seconds(), "MiB/cpu-s")
		})
	}
}

// many are secrets of one letter and all lengths: every place in a text of that letter ends all of
// them.
func many(letter string) []string {
	var out []string
	for n := 8; n < 108; n++ {
		out = append(out, strings.Repeat(letter, n))
	}
	return out
}

func BenchmarkNew(b *testing.B) {
	for name, secrets := range map[string][]string{"10 of 40": randomSecrets(10), "50 of 40": fifty(),
		"1000 of 40": randomSecrets(1000), "1 of 64 KiB": {randomSecret(rand.New(rand.NewPCG(5, 6)), 64<<10)}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			start := cpu()
			for b.Loop() {
				of(secrets...)
			}
			b.ReportMetric(float64((cpu()-start).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}

func BenchmarkJSON(b *testing.B) {
	r := of(fifty()...)
	data := []byte(`[` + strings.Repeat(`{"id":12345,"name":"An ordinary name","amount":"1234.50"},`, 10000) + `null]`)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, _, err := jsonOf(r, data); err != nil {
			b.Fatal(err)
		}
	}
}

// TestTimeIsLinear compares the work for a text and for 16 parts of it: quadratic time would be 16
// times as much.
func TestTimeIsLinear(t *testing.T) {
	for name, secrets := range map[string][]string{"one": {strings.Repeat("a", 5000) + "b"}, "many": many("a"),
		"run": {strings.Repeat("a", 5000)}} {
		r := of(secrets...)
		cost := func(n, times int) time.Duration { // processor time: other work on the machine doesn't count
			text := []byte(strings.Repeat("a", n))
			best := time.Hour
			for range 7 {
				start := cpu()
				for range times {
					r.machine.places(text, true, false)
				}
				best = min(best, cpu()-start)
			}
			return best
		}
		if small, large := cost(1<<14, 16), cost(1<<18, 1); large > 4*small+time.Millisecond {
			t.Errorf("%s: %s for 16 short texts, then %s for one as long as all", name, small, large)
		}
	}
}
