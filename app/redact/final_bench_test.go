package redact

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cpu is the processor time that was used so far; on a busy machine the clock says little.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkFinal is the final pass over 1 MiB.
func BenchmarkFinal(b *testing.B) {
	random := make([]byte, 3<<18)
	r := rand.New(rand.NewPCG(11, 12))
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	code := base64.StdEncoding.EncodeToString(random)
	cases := map[string]string{
		"log":              logText(nil),
		"base64":           code,
		"base64 in lines":  wrap(code, 76, "\n"),
		"base64 of base64": base64.StdEncoding.EncodeToString([]byte(code[:3<<18])),
		"base64 of log":    base64.StdEncoding.EncodeToString([]byte(logText(nil)[:3<<18])),
		"binary":           string(random),
		"prose":            strings.Repeat("The quick brown fox jumps over the lazy dog and goes home again. ", 1<<14),
		"numbers":          strings.Repeat("12.50, 1024, 7, 33, 104.75\n", 1<<15),
		"a JSON table":     strings.Repeat(`{"id": 12345, "name": "An ordinary name", "amount": "1234.50"}, `, 1<<14),
		"digits":           strings.Repeat("31415926535897932384", 1<<10),
		"short":            "an ordinary line of text, 42 rows\n",
	}
	for name, text := range cases {
		b.Run(name, func(b *testing.B) {
			red := of(fifty()...)
			red.letters()
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			start := cpu()
			for b.Loop() {
				red.Text(text)
			}
			b.ReportMetric(float64((cpu()-start).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}
