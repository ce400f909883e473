package egress

import (
	"io"
	"net/http"
	"testing"
)

// curl --http2 offers h2c on every plain request, and is content with HTTP/1.1.
func TestAnOfferOfH2CIsDropped(t *testing.T) {
	var seen http.Header
	_, s, conn := plain(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header.Clone()
		reflect(w, r)
	})
	send(t, conn, "GET /x HTTP/1.1\r\n"+hostLine+"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"+
		"HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n\r\n")
	if resp := answers(t, conn, 1)[0]; resp.StatusCode != 200 || text(resp) != "GET /x \n" {
		t.Errorf("status %d", resp.StatusCode)
	}
	for _, name := range []string{"Upgrade", "Http2-Settings", "Connection"} {
		if seen.Get(name) != "" {
			t.Errorf("%s passes", name)
		}
	}
	if row := lastRow(t, s); row.Verdict != "allowed" || row.Status != 200 {
		t.Errorf("%+v", row)
	}
}

// Paths and queries reach the host as written. net/url would re-encode a raw brace and turn %2F
// into a slash.
func TestAPathReachesTheHostAsItWasWritten(t *testing.T) {
	_, s, conn := plain(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.RequestURI)
	})
	for _, target := range []string{
		"/a[1]/{b}|^?q[]={x}|^", "/a%2Fb/{c}", "/%7Bb%7D", "/`\"<>\\", "/plain", "//two/{x}?y", "/%zz{"} {
		send(t, conn, "GET "+target+" HTTP/1.1\r\n"+hostLine+"\r\n")
		resp := answers(t, conn, 1)[0]
		want := target
		switch target {
		case "//two/{x}?y": // as a whole it would read as another host
			want = "//two/%7Bx%7D?y"
		case "/%zz{":
			if resp.StatusCode != 400 {
				t.Errorf("%s: status %d", target, resp.StatusCode)
			}
			continue
		}
		if got := text(resp); got != want {
			t.Errorf("%s reached the host as %s", target, got)
		}
		if row := lastRow(t, s); row.Path != target {
			t.Errorf("%s is recorded as %s", target, row.Path)
		}
	}
}

func TestTrailersOfARequestStay(t *testing.T) {
	var trailer http.Header
	var body string
	_, _, conn := plain(t, Limits{}, func(w http.ResponseWriter, r *http.Request) {
		all, _ := io.ReadAll(r.Body)
		body, trailer = string(all), r.Trailer
		w.WriteHeader(204)
	})
	send(t, conn, "POST / HTTP/1.1\r\n"+hostLine+"Transfer-Encoding: chunked\r\nTrailer: X-Key\r\n\r\n"+
		"5\r\nhello\r\n0\r\nX-Key: "+testPlaceholder+"\r\nX-Late: x\r\n\r\n")
	answers(t, conn, 1)
	if len(trailer) > 0 || body != "hello" {
		t.Errorf("body %q, trailers %v", body, trailer)
	}
}

func TestHeadHasItsLength(t *testing.T) {
	l := newLab(t)
	l.web("api.test", 443, l.tls("api.test"), func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10000")
		w.Header().Set("Accept-Ranges", "bytes")
	})
	client := l.client(l.session(Limits{}, []string{"api.test"}, "api.test"))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodHead, "https://api.test/file", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, _ := l.do(client, r)
	if resp.ContentLength != 10000 || resp.Header.Get("Accept-Ranges") != "none" {
		t.Errorf("length %d, %v", resp.ContentLength, resp.Header)
	}
}
