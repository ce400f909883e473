package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func get(t *testing.T, path, encoding string) *http.Response {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	Handler().ServeHTTP(w, r)
	return w.Result()
}

func TestServedForEverUnderItsDigest(t *testing.T) {
	t.Parallel()
	for name, kind := range map[string]string{
		"app.css": "text/css; charset=utf-8", "app.js": "text/javascript; charset=utf-8",
		"favicon.svg": "image/svg+xml",
	} {
		want := table()[name].plain
		if len(want) == 0 {
			t.Fatalf("%s is empty", name)
		}
		sum := sha256.Sum256(want)
		if !strings.Contains(URL(name), hex.EncodeToString(sum[:6])) {
			t.Errorf("%s is at %s", name, URL(name))
		}
		plain := get(t, URL(name), "")
		body, err := io.ReadAll(plain.Body)
		if err != nil || !bytes.Equal(body, want) {
			t.Errorf("%s: other content (%v)", name, err)
		}
		for header, value := range map[string]string{
			"Content-Type": kind, "Cache-Control": "public, max-age=31536000, immutable",
			"X-Content-Type-Options": "nosniff",
			"Vary":                   "Accept-Encoding", "Content-Encoding": "",
		} {
			if got := plain.Header.Get(header); got != value {
				t.Errorf("%s: %s is %q, want %q", name, header, got, value)
			}
		}
		zipped := get(t, URL(name), "br, gzip;q=0.8")
		if zipped.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s is not compressed", name)
			continue
		}
		r, err := gzip.NewReader(zipped.Body)
		if err != nil {
			t.Fatal(err)
		}
		if body, err = io.ReadAll(r); err != nil || !bytes.Equal(body, want) {
			t.Errorf("%s: other content when compressed (%v)", name, err)
		}
	}
}

// TestExtensionsComeWithHtmx: later ones never connect.
func TestExtensionsComeWithHtmx(t *testing.T) {
	t.Parallel()
	rest := table()["app.js"].plain
	for _, part := range []string{"vendor/htmx.min.js", "vendor/hx-sse.min.js", "js/50-live.js"} {
		_, after, found := bytes.Cut(rest, joinFiles(part))
		if !found {
			t.Fatalf("%s is not in app.js, or not in its place", part)
		}
		rest = after
	}
}

func TestNothingElseIsServed(t *testing.T) {
	t.Parallel()
	for _, path := range []string{Prefix, Prefix + "app.css", Prefix + "app-000000000000.css", Prefix + "assets.go",
		"/", strings.Replace(URL("app.css"), "app", "vendor/app", 1)} {
		if res := get(t, path, ""); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
}

// TestVendored compares vendored scripts with recorded sums.
func TestVendored(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("vendor/README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("\\| `([a-z.-]+)` \\| `[^`]+` \\| `([0-9a-f]{64})` \\|").FindAllSubmatch(readme, -1)
	if len(rows) != 2 {
		t.Fatalf("%d sums are noted", len(rows))
	}
	for _, row := range rows {
		data, err := files.ReadFile("vendor/" + string(row[1]))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != string(row[2]) {
			t.Errorf("%s is not the file that was vendored", row[1])
		}
	}
}

// TestLineWidth holds the style sheet and the script to the widths of Go: code up to 120 columns,
// comments up to 100.
func TestLineWidth(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"css/*.css", "js/*.js"} {
		names, err := fs.Glob(files, pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			for i, line := range strings.Split(string(joinFiles(name)), "\n") {
				limit, text := 120, strings.TrimSpace(line)
				if strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") {
					limit = 100
				}
				if width := utf8.RuneCountInString(line); width > limit {
					t.Errorf("%s:%d is %d columns wide, not %d", name, i+1, width, limit)
				}
			}
		}
	}
}

func TestSmall(t *testing.T) {
	t.Parallel()
	if n := bytes.Count(table()["app.js"].plain, []byte("\n")); n > 600 {
		t.Errorf("app.js has %d lines; what needs more belongs on the server", n)
	}
	total := 0
	for _, a := range table() {
		total += len(a.zipped)
	}
	if total > 40<<10 {
		t.Errorf("the assets are %d bytes compressed", total)
	}
}
