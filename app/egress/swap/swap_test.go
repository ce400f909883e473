package swap

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/known"
	"github.com/computclaw/airlock/app/secrets"
)

// encoders are independent of the searched forms, mostly from the standard library. decode decodes
// a whole text, so a test can search it for the value.
var encoders = map[string]struct {
	encode func(string) string
	decode func(string) string
}{
	"raw": {func(s string) string { return s }, func(s string) string { return s }},
	"json": {func(s string) string { b, _ := json.Marshal(s); return string(b) },
		func(s string) string { var out string; _ = json.Unmarshal([]byte(s), &out); return out }},
	"query": {url.QueryEscape, func(s string) string { out, _ := url.QueryUnescape(s); return out }},
	"path":  {url.PathEscape, func(s string) string { out, _ := url.PathUnescape(s); return out }},
	"html":  {html.EscapeString, html.UnescapeString},
	"hex": {func(s string) string { return hex.EncodeToString([]byte(s)) },
		func(s string) string { out, _ := hex.DecodeString(s); return string(out) }},
	"HEX": {func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
		func(s string) string { out, _ := hex.DecodeString(s); return string(out) }},
	"ascii":   {strconv.QuoteToASCII, func(s string) string { out, _ := strconv.Unquote(s); return out }},
	"reverse": {known.Reverse, known.Reverse},
}

// values draws random text without outer white space.
func drawValue(r *rapid.T, label string) string {
	alphabet := rapid.SampledFrom([]string{
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", "ab", "abc+/=\\\"'<>&%;:,. \n\t", "aß😀€/\\",
		"0123456789abcdef-_",
	}).Draw(r, label+" alphabet")
	runes := rapid.SliceOfN(rapid.SampledFrom([]rune(alphabet)), 14, 60).Draw(r, label)
	return "q" + string(runes) + "z"
}

func drawAround(r *rapid.T, label string) string {
	return rapid.StringOfN(rapid.SampledFrom([]rune("abqz019 +/=\\\"<&%{}:,\nß")), 0, 12, -1).Draw(r, label)
}

func drawSizes(r *rapid.T) []int {
	return rapid.SliceOfN(rapid.IntRange(1, 40), 1, 5).Draw(r, "sizes")
}

func receiveChunked(r *rapid.T, s *Swapper, text string) string {
	resp := response("")
	resp.Body = io.NopCloser(&chunked{data: text, sizes: drawSizes(r)})
	if err := s.MaskResponse(home, resp, nil); err != nil {
		r.Fatal(err)
	}
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		r.Fatal(err)
	}
	return string(out)
}

// A value repeated in any encoding becomes the placeholder in that encoding, and nothing else
// changes.
func TestReflectionProperty(t *testing.T) {
	for name, e := range encoders {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(r *rapid.T) {
				value := drawValue(r, "value")
				s := New([]secrets.Resolved{credential("A", value, home.Host)})
				before, after := drawAround(r, "before"), drawAround(r, "after")
				if got, want := receiveChunked(r, s, e.encode(before+value+after)), before+phA+after; e.decode(got) != want {
					r.Fatalf("got %q, want %q", e.decode(got), want)
				}
			})
		})
	}
}

// Base64 at any alignment shows the placeholder and no longer decodes to the value.
func TestBase64Property(t *testing.T) {
	for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding,
		base64.RawURLEncoding} {
		rapid.Check(t, func(r *rapid.T) {
			value := drawValue(r, "value")
			s := New([]secrets.Resolved{credential("A", value, home.Host)})
			encoded := enc.EncodeToString([]byte(drawAround(r, "before") + value + drawAround(r, "after")))
			got := receiveChunked(r, s, encoded)
			if !strings.Contains(got, phA) {
				r.Fatalf("%q became %q", encoded, got)
			}
			for _, piece := range strings.Split(got, phA) {
				if plain, _ := enc.WithPadding(base64.NoPadding).DecodeString(strings.TrimRight(piece,
					"=")); strings.Contains(string(plain), value) {
					r.Fatalf("%q is still in %q", value, got)
				}
			}
		})
	}
}

// What goes to an echo service comes back as it was sent.
func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		value := drawValue(r, "value")
		s := New([]secrets.Resolved{credential("A", value, home.Host, everywhere...)})
		media := rapid.SampledFrom([]string{"application/json", "text/plain", "application/x-www-form-urlencoded",
			"multipart/form-data; boundary=XX", "text/xml"}).Draw(r, "media")
		body := map[string]string{
			"application/json": `{"k":"` + phA + `","l":[1]}`, "text/plain": "a " + phA,
			"application/x-www-form-urlencoded": "a=%20&k=" + phA,
			"multipart/form-data; boundary=XX":  "--XX\r\nA: b\r\n\r\n" + phA + "\r\n--XX--", "text/xml": "<a>" + phA + "</a>",
		}[media]
		req := request(t, "POST", "https://x/", body, "Content-Type", media)
		keys, err := s.FillRequest(home, req)
		if err != nil || len(keys) != 1 {
			r.Fatal(keys, err)
		}
		sent, _ := io.ReadAll(req.Body)
		if strings.Contains(string(sent), phA) {
			r.Fatalf("%q was sent", sent)
		}
		if got := receiveChunked(r, s, string(sent)); got != body {
			r.Fatalf("%q came back as %q", body, got)
		}
	})
}

// spell draws a recognisable spelling of a placeholder. Its first lead bytes belong to something
// else.
func spell(r *rapid.T, text string) (spelled string, lead int) {
	switch rapid.IntRange(0, 4).Draw(r, "kind") {
	case 0:
		return hex.EncodeToString([]byte(text)), 0
	case 1:
		return utf16Bytes(text, rapid.Bool().Draw(r, "big")), 1
	case 2:
		before, after := rapid.StringN(0, 5, -1).Draw(r, "before"), rapid.StringN(0, 5, -1).Draw(r, "after")
		encoded := base64.StdEncoding.EncodeToString([]byte(before + text + after))
		lead = (8*len(before) + 5) / 6
		if at := rapid.IntRange(0, len(encoded)).Draw(r, "break"); rapid.Bool().Draw(r, "broken") {
			br := rapid.SampledFrom([]string{"\r\n", "\n", `\r\n`, `\n`}).Draw(r, "break text")
			encoded = encoded[:at] + br + encoded[at:]
			if at <= lead {
				lead += len(br)
			}
		}
		return encoded, lead
	}
	var b strings.Builder
	for _, c := range []byte(text) {
		b.WriteString(rapid.SampledFrom([]string{
			string(c), strings.ToUpper(string(c)), fmt.Sprintf("%%%02x", c), fmt.Sprintf("%%25%02X", c),
			fmt.Sprintf(`\u%04x`, c), fmt.Sprintf(`\x%02X`, c), fmt.Sprintf("&#%d;", c), fmt.Sprintf("&#x%x;", c),
		}).Draw(r, "character"))
	}
	return b.String(), 0
}

// No spelling of a placeholder reaches another host, nor any byte of it, in any pieces.
func TestWatchProperty(t *testing.T) {
	s := atHome()
	rapid.Check(t, func(r *rapid.T) {
		before := rapid.StringMatching(`[%\\air0-9A-F]{0,60}`).Draw(r, "before")
		spelled, lead := spell(r, phA)
		req := request(t, "POST", "https://x/", "")
		req.Body = io.NopCloser(&chunked{data: before + spelled + drawAround(r, "after"), sizes: drawSizes(r)})
		if _, err := s.FillRequest(foreign, req); err != nil {
			r.Fatal(err)
		}
		sent, err := io.ReadAll(req.Body)
		if _, refused := err.(*Refusal); !refused || !strings.HasPrefix(before+spelled, string(sent)) ||
			len(sent) > len(before)+lead {
			r.Fatalf("%q, %v", sent, err)
		}
	})
}

// Any other body passes as it is.
func TestWatchChangesNothing(t *testing.T) {
	s := atHome()
	pieces := []string{"airlock", "_sealed_", "%61", `\u0061`, "a", Prefix, phA[:40], "WWly", "616", "\x00", "\r\n",
		placeholderOf("old")}
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 30).Draw(r, "text"), "")
		for _, h := range findHits([]byte(text)) {
			if h.token == phA {
				r.Skip("a placeholder by chance")
			}
		}
		req := request(t, "POST", "https://x/", "")
		req.Body = io.NopCloser(&chunked{data: text, sizes: drawSizes(r)})
		if _, err := s.FillRequest(foreign, req); err != nil {
			r.Fatal(err)
		}
		if sent, err := io.ReadAll(req.Body); err != nil || string(sent) != text {
			r.Fatalf("%q became %q, %v", text, sent, err)
		}
	})
}

func TestPlaceholderProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		mac := rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(r, "mac")
		p := Placeholder(mac)
		if len(findHits([]byte(p))) != 1 || len(p) != PlaceholderLength || url.QueryEscape(p) != p || quoteJSON(p) != p ||
			html.EscapeString(p) != p {
			r.Fatal(p)
		}
		mac[rapid.IntRange(0, 19).Draw(r, "byte")] ^= 1
		if Placeholder(mac) == p {
			r.Fatal("two of one shape")
		}
	})
}

func TestPlaces(t *testing.T) {
	for _, p := range everywhere {
		if c := credential("A", secretB, home.Host, everywhere...); !allows(&c, where{place: p, header: "X"}) {
			t.Errorf("%s is not allowed", p)
		}
	}
}

// echoService repeats everything in a header, the body and a trailer.
func echoService(t *testing.T) *httptest.Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		w.Header().Set("Trailer", "X-Sum")
		fmt.Fprintf(w, "%s %d %q ", r.RequestURI, r.ContentLength, r.Header.Get("Authorization"))
		_, _ = w.Write(body)
		w.Header().Set("X-Sum", r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	return server
}

func exchange(s *Swapper, req *http.Request) (*http.Response, string, error) {
	if _, err := s.FillRequest(home, req); err != nil {
		return nil, "", err
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		return nil, "", err
	}
	defer resp.Body.Close()
	if err := s.MaskResponse(home, resp, nil); err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(resp.Body)
	return resp, string(body), err
}

// One Swapper serves many connections at once.
func TestRealExchange(t *testing.T) {
	server, s := echoService(t), atHome()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			req := request(t, "POST", server.URL+"/x?k="+phA, `{"k":"`+phA+`"}`, "Authorization", "Bearer "+phB, "Content-Type",
				"application/json")
			resp, body, err := exchange(s, req)
			if err != nil {
				t.Error(err)
				return
			}
			sent := len(`{"k":"`) + len(quoteJSON(secretA)) + len(`"}`)
			want := fmt.Sprintf(`/x?k=%s %d "Bearer %s" {"k":"%s"}`, phA, sent, phB, phA)
			if body != want || resp.Header.Get("X-Echo") != "Bearer "+phB || resp.Trailer.Get("X-Sum") != "Bearer "+phB {
				t.Errorf("%q, want %q; %v, %v", body, want, resp.Header, resp.Trailer)
			}
		})
	}
	all.Wait()
}

// A transport passes on a searched body's Refusal.
func TestRealRefusal(t *testing.T) {
	server, s := echoService(t), atHome()
	for _, fill := range []int{0, app.MaxSwappedBody, 3 * app.MaxSwappedBody} {
		for _, placeholder := range []string{phA, phB, placeholderOf("old")} {
			req := request(t, "POST", server.URL, strings.Repeat("x", fill)+placeholder)
			_, body, err := exchange(s, req)
			var refusal *Refusal
			if fill == 0 && placeholder == phA {
				if err != nil || strings.Contains(body, secretA) {
					t.Errorf("%v, %q", err, body)
				}
			} else if !errors.As(err, &refusal) {
				t.Errorf("%d: %v", fill, err)
			}
		}
	}
}

func TestSwapperIsNotPrinted(t *testing.T) {
	s := atHome()
	s.values.compile()
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("m", "s", s)
	for _, printed := range []string{fmt.Sprint(s), fmt.Sprintf("%+v %#v %s %q %x %p", s, s, s, s, s, s),
		fmt.Sprintf("%v", struct{ S *Swapper }{s}), log.String()} {
		if strings.Contains(printed, secretA) || strings.Contains(printed, secretB) || strings.Contains(printed, Prefix) ||
			strings.Contains(printed, "0123456789") {
			t.Error(printed)
		}
	}
}
