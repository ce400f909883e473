package match

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// usual are texts as hosts send them, of size bytes.
func usual(size int) map[string]string {
	random := make([]byte, size)
	source := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(source.Uint32())
	}
	return map[string]string{
		"prose": fit("The quick brown fox jumps over the lazy dog; airlines seal a lock. ", size),
		"lines": fit("a line of a log, number 12\n", size),
		"json": fit(`{"id":1234567,"name":"A. Person","amount":"12.50","at":"2026-11-20T12:00:00Z",`+
			`"url":"https:\/\/example.com\/a?b=%20c"},`, size),
		"text in json": fit(`{"log":"2026-11-20 a line of a log, number 12\n2026-11-20 \u003cb\u003e\"done\"\u003c/b\u003e`+
			`\n    at main.go:12\n\tindented \\d+\n"},`, size),
		"binary": string(random),
		"zeros":  fit("\x00", size),
		"base64": base64.StdEncoding.EncodeToString(random)[:size],
	}
}

// hostile texts are slow to search, of size bytes.
func hostile(size int) map[string]string {
	out := map[string]string{}
	for _, text := range []string{
		"%", `\`, "&", "=", `"`, "\n", "\r\n ", "a\x00", "%25", "%5c", "%2525", "&#", "&amp;", "&#38;", `\x5c`, `\u005c`,
		`\134`, `\5c `, `\\41`, "%25%34%31", `\u003d\u002b\\u003d&#43;%2b`, "%41", `\u0041`, "0x", "1, ", `12,\n`, "<br>a",
		"s\n", "sk-l\n", "%41\n", `\u0041\n`, `\u00\n`, `sk\n`, `%5c\r\n`, "&#115;\n  ", "sk<br>", "~1", "_x002F_", "`$", "^^", "$2F",
		"sk-live_51\n" + strings.Repeat(" ", 40), "%25%34\n%31",
	} {
		out[fmt.Sprintf("%+q", text)] = fit(text, size)
	}
	source := rand.New(rand.NewPCG(3, 4))
	for name, alphabet := range map[string]string{
		"leads": leads, "mixed": `%\&=#ux;0123456789abcdef`, "backslashes": `\\\\\\\\ux0123456789abcdef`,
		"percents": "%%%%25", "hex": "0123456789abcdef", "numbers": "0123456789,",
	} {
		text := make([]byte, size)
		for i := range text {
			text[i] = alphabet[source.IntN(len(alphabet))]
		}
		out[name] = string(text)
		out[name+", base64"] = base64.StdEncoding.EncodeToString(text)[:size]
	}
	var escaped strings.Builder
	for escaped.Len() < size {
		ways := escapesOf(benchmarkKey[source.IntN(len(benchmarkKey))])
		escaped.WriteString(ways[source.IntN(len(ways))])
	}
	out["escapes"] = escaped.String()[:size]
	out["key, cut"] = fit(benchmarkKey[:len(benchmarkKey)-2]+"#", size)
	out["key, escaped"] = fit(strings.ReplaceAll(fmt.Sprintf(" % x", benchmarkKey), " ", "%"), size)
	return out
}

func fit(text string, size int) string { return strings.Repeat(text, size/len(text)+1)[:size] }

const benchmarkKey = "sk-live_51Hx/QzT+9uVabcdefghijkl4711=="

func BenchmarkFind(b *testing.B) {
	const size = 1 << 18
	texts := usual(size)
	maps.Copy(texts, hostile(size))
	var keys []string
	source := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		key := make([]byte, 30)
		for i := range key {
			key[i] = byte(source.Uint32())
		}
		keys = append(keys, base64.StdEncoding.EncodeToString(key))
	}
	for set, f := range map[string]*Finder{
		"key":      strong(benchmarkKey, benchmarkKey[1:], "plain0123456789abcdefXYZ", "lain0123456789abcdefXYZ"),
		"100 keys": strong(keys...),
	} {
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			b.Run(set+"/"+name, func(b *testing.B) { benchmarkFind(b, f, []byte(texts[name])) })
		}
	}
}

func benchmarkFind(b *testing.B, f *Finder, data []byte) {
	from := cpu()
	for b.Loop() {
		f.Find(data)
	}
	b.ReportMetric(float64(b.N)*float64(len(data))/1e6/(cpu()-from), "MB/cpu-s")
}

// cpu returns the processor time so far, in seconds.
func cpu() float64 {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// logText is a log of an application.
func logText(size int) []byte {
	var b strings.Builder
	r := rand.New(rand.NewPCG(7, 8))
	for i := 0; b.Len() < size; i++ {
		switch i % 4 {
		case 0:
			fmt.Fprintf(&b, "2026-11-28T12:%02d:%02d.%06dZ INFO  request handled method=GET path=/api/v1/customers/%d/orders status=200 took=%dms\n", i/60%60, i%60, r.IntN(1e6), r.IntN(1e6), r.IntN(300))
		case 1:
			fmt.Fprintf(&b, "2026-11-28 12:00:01,%03d worker-%d [DEBUG] app.jobs.sync: fetched %d rows from table \"orders\" (cursor=%x)\n", i%1000, i%8, r.IntN(5000), r.Uint64())
		case 2:
			fmt.Fprintf(&b, "{\"level\":\"info\",\"ts\":%d.%d,\"msg\":\"done\",\"trace_id\":\"%016x%016x\",\"user\":\"anna@example.com\"}\n", 1764100000+i, r.IntN(1000), r.Uint64(), r.Uint64())
		default:
			b.WriteString("Traceback (most recent call last): File \"/usr/lib/python3/dist-packages/requests/models.py\", line 971, in json\n")
		}
	}
	return []byte(b.String()[:size])
}

// keys are patterns of 40 random characters.
func keys(n int, parts bool) (out []Pattern) {
	r := rand.New(rand.NewPCG(1, 2))
	for range n {
		key := make([]byte, 30)
		for i := range key {
			key[i] = byte(r.Uint32())
		}
		out = append(out, Pattern{Text: base64.StdEncoding.EncodeToString(key), Parts: parts})
	}
	return out
}

// BenchmarkLog searches a MiB of a log for values of scripts and for sealed ones.
func BenchmarkLog(b *testing.B) {
	text := logText(1 << 20)
	for _, n := range []int{5, 50} {
		for _, parts := range []bool{false, true} {
			f := New(keys(n, parts))
			b.Run(fmt.Sprint(n, parts), func(b *testing.B) {
				b.ReportAllocs()
				benchmarkFind(b, f, text)
			})
		}
	}
}

// BenchmarkLive searches a log that comes in pieces, and asks after each what can be shown.
func BenchmarkLive(b *testing.B) {
	text := logText(1 << 20)
	f := New(keys(50, true))
	from := cpu()
	for b.Loop() {
		s := f.Scanner()
		for piece := range slices.Chunk(text, 4<<10) {
			s.Write(piece)
			s.Settle(s.Open())
		}
		s.Close()
	}
	b.ReportMetric(float64(b.N)*float64(len(text))/1e6/(cpu()-from), "MB/cpu-s")
}
