package swap

import (
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/secrets"
)

// corpora are bodies of 1 MiB.
func corpora() map[string]string {
	const size = 1 << 20
	random := make([]byte, size)
	source := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(source.Uint32())
	}
	fit := func(text string) string { return strings.Repeat(text, size/len(text)+1)[:size] }
	return map[string]string{
		"prose": fit("The quick brown fox jumps over the lazy dog; airlines seal a lock. "),
		"json": fit(`{"id":1234567,"name":"A. Person","amount":"12.50","at":"2026-11-20T12:00:00Z",` +
			`"url":"https:\/\/example.com\/a?b=%20c"},`),
		"binary":  string(random),
		"base64":  fit("YWlyYm9ybmUgc2VhbHMgZmx5IG92ZXIgdGhlIHNlYQAAECAwQFBgcICQoLDA0ODw"),
		"signs":   fit("%25"),
		"escapes": fit(`\u003d\u002b\\u003d&#43;%2b`),
		"worst":   fit(secretB[:len(secretB)-1] + "#" + phA[:len(phA)-1] + "#"),
	}
}

func throughput(b *testing.B, wrap func(text string) io.Reader) {
	buffer := make([]byte, 64<<10)
	for name, text := range corpora() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if n, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, wrap(text), buffer); err != nil || n < 1<<19 {
					b.Fatal(n, err)
				}
			}
		})
	}
}

func BenchmarkIncoming(b *testing.B) {
	s := atHome()
	throughput(b, func(text string) io.Reader {
		resp := response(text)
		if err := s.MaskResponse(home, resp, nil); err != nil {
			b.Fatal(err)
		}
		return struct{ io.Reader }{resp.Body}
	})
}

func BenchmarkWatchedBody(b *testing.B) {
	s := atHome()
	throughput(b, func(text string) io.Reader {
		req := &http.Request{Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text))}
		o := &outgoing{swapper: s, target: foreign}
		o.watch(req, req.Body, req.Body)
		return struct{ io.Reader }{req.Body}
	})
}

func BenchmarkOutgoing(b *testing.B) {
	s := atHome()
	for name, body := range map[string]string{"get": "", "json": `{"k":"` + phA + `"}`} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				req := request(b, "GET", "https://api.example.com/v1/things?x=1", body, "Authorization", "Bearer "+phB,
					"User-Agent", "python-httpx/0.28",
					"Accept", "*/*", "Content-Type", "application/json")
				if _, err := s.FillRequest(home, req); err != nil {
					b.Fatal(err)
				}
				if req.Body != nil {
					_ = req.Body.Close() // it gives its place among those that are held back
				}
			}
		})
	}
}

func BenchmarkHead(b *testing.B) {
	s := atHome()
	b.ReportAllocs()
	for b.Loop() {
		resp := response("", "Content-Type", "application/json", "Date", "Fri, 20 Nov 2026 12:00:00 GMT", "Server", "x",
			"Cache-Control", "no-store", "Set-Cookie", "a=b; Path=/")
		if err := s.MaskResponse(home, resp, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNew(b *testing.B) {
	long := strings.Repeat("MIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6AgEAAkEA+/==\n", 40)
	for name, value := range map[string]string{"key": secretA, "pem": long, "largest": strings.Repeat(long, 31)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s := New([]secrets.Resolved{credential("A", value, home.Host)})
				s.values.compile()
			}
		})
	}
}
