package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/redact/patterns"
)

// benchPiece is how much is written to a stream at once, as the pipe of a box delivers it.
const benchPiece = 32 << 10

// throughput is one measurement: do is called with text again and again.
type throughput struct {
	what string
	text string
	do   func(text string)
}

// redaction measures the redactor by the clock: the streaming pass and the patterns on one core,
// the final pass, which reads codes on two, next to plain copying and strings.NewReplacer.
func (s *suite) redaction(context.Context) error {
	set, err := patterns.New(patterns.Config{})
	if err != nil {
		return err
	}
	list := streams()
	log := benchLog()
	list = append(list,
		throughput{"patterns: log text", log, func(text string) { set.Find(text) }},
		throughput{"patterns: log text with a hit in every line",
			strings.ReplaceAll(log, "request", "password=Tr0ub4dor&3x request"), func(text string) { set.Find(text) }},
	)
	list = append(list, finals(set)...)
	table := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "redaction of 1 MiB\ttime\trate\tallocations")
	for _, t := range list {
		took, allocations := measure(t, s.length/10)
		fmt.Fprintf(table, "%s\t%s\t%.0f MiB/s\t%d\n", t.what, ms(took), float64(len(t.text))/(1<<20)/took.Seconds(),
			allocations)
	}
	return table.Flush()
}

func streams() (list []throughput) {
	log := benchLog()
	var sink bytes.Buffer
	list = append(list, throughput{"copy: log text", log, func(text string) {
		sink.Reset()
		inPieces(text, func(p []byte) { sink.Write(p) })
	}})
	for _, n := range []int{1, 50, 1000} {
		secrets := benchSecrets(n)
		var pairs []string
		for _, s := range secrets {
			pairs = append(pairs, s, "[REDACTED]")
		}
		replacer := strings.NewReplacer(pairs...)
		list = append(list,
			throughput{fmt.Sprintf("strings.NewReplacer, raw forms only, %d values: log text", n), log,
				func(text string) { _ = replacer.Replace(text) }},
			stream(fmt.Sprintf("stream, %d values: log text", n), benchValues(secrets...), log))
	}
	random := rand.NewChaCha8([32]byte{1})
	binary := make([]byte, 1<<20)
	_, _ = random.Read(binary)
	secrets := benchSecrets(50)
	var many []string
	for n := range 100 {
		many = append(many, strings.Repeat("a", n+8))
	}
	ayes, fifty := strings.Repeat("a", 1<<20), benchValues(secrets...)
	return append(list,
		stream("stream, aaaa… against a secret of a's", benchValues(strings.Repeat("a", 64)+"b"), ayes),
		stream("stream, aaaa… against 100 secrets of a's", benchValues(many...), ayes),
		stream("stream, 50 values: all but the last character of one", fifty, repeated(secrets[0][:39]+"~")),
		stream("stream, 50 values: binary", fifty, string(binary)))
}

func stream(what string, values []redact.Value, text string) throughput {
	red := redact.New(values)
	return throughput{what, text, func(text string) {
		s := red.Stream(func(redact.Clean) {})
		inPieces(text, func(p []byte) { _, _ = s.Write(p) })
		_ = s.Close()
	}}
}

// finals are whole texts, as they are checked before anything is stored.
func finals(set *patterns.Set) []throughput {
	red := redact.New(benchValues(benchSecrets(50)...), redact.Options{Patterns: set.Find})
	raw := make([]byte, 3<<18)
	_, _ = rand.NewChaCha8([32]byte{2}).Read(raw)
	final := func(what, text string) throughput {
		return throughput{"final pass, 50 values: " + what, text, func(text string) { _, _ = red.Text(text) }}
	}
	return []throughput{
		final("log text", benchLog()),
		final("base64 of random bytes", base64.StdEncoding.EncodeToString(raw)),
		final("base64 of log text", base64.StdEncoding.EncodeToString([]byte(benchLog()[:3<<18]))),
	}
}

func inPieces(text string, write func([]byte)) {
	piece := make([]byte, benchPiece)
	for text != "" {
		n := copy(piece, text)
		write(piece[:n])
		text = text[n:]
	}
}

// benchLog is 1 MiB of an ordinary server's log, without secrets.
func benchLog() string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "2026-11-20T12:%02d:%02d.%03dZ INFO request id=%08x path=/reports/%d/rows status=200 "+
			"bytes=%d in %d ms\n", i/60%60, i%60, i%1000, uint32(i)*2654435761, i, i*37, i%250)
	}
	return b.String()[:1<<20]
}

func benchSecrets(n int) (secrets []string) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	random := rand.New(rand.NewPCG(1, 2))
	for range n {
		secret := make([]byte, 40)
		for j := range secret {
			secret[j] = alphabet[random.IntN(len(alphabet))]
		}
		secrets = append(secrets, string(secret))
	}
	return secrets
}

func benchValues(secrets ...string) (values []redact.Value) {
	for i, s := range secrets {
		values = append(values, redact.Value{Name: fmt.Sprintf("KEY_%d", i), Secret: app.NewSecret(s)})
	}
	return values
}

func repeated(unit string) string { return strings.Repeat(unit, 1<<20/len(unit)) }

// measure returns the best time of one call, which other work on the machine disturbs least, and
// its allocations.
func measure(t throughput, length time.Duration) (best time.Duration, allocations uint64) {
	t.do(t.text)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	t.do(t.text)
	runtime.ReadMemStats(&after)
	for end := time.Now().Add(length); best == 0 || time.Now().Before(end); {
		start := time.Now()
		t.do(t.text)
		if took := time.Since(start); best == 0 || took < best {
			best = took
		}
	}
	return best, after.Mallocs - before.Mallocs
}
