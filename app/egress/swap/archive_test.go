package swap

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// zipped makes a zip file of two members.
func zipped(t *testing.T, method uint16, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range []string{"a.txt", "b.txt"} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(f, text)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Files without a value pass as they are, in whatever pieces.
func TestHonestFilesPass(t *testing.T) {
	text := strings.Repeat("an honest line, PK and PK\x07\x08 in it\n", 3000)
	for name, body := range map[string]string{
		"gzip": gzipped(t, text), "streams": gzipped(t, text) + gzipped(t, "more"), "padded": gzipped(t, text) +
			strings.Repeat("\x00", 1000),
		"alike": gzipped(t, strings.Repeat("the same line\n", 500000)), "zip": zipped(t, zip.Deflate, text),
		"stored": zipped(t, zip.Store, text),
		"empty":  gzipped(t, ""), "no file": "PK\x03", "text": "\x1f and text",
	} {
		for size, reader := range map[string]io.Reader{"whole": strings.NewReader(body),
			"halves": iotest.HalfReader(strings.NewReader(body))} {
			resp := response("")
			resp.Body = io.NopCloser(reader)
			if err := atHome().Incoming(home, resp, nil); err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(resp.Body)
			if err != nil || string(got) != body {
				t.Errorf("%s, %s: %d bytes of %d, %v", name, size, len(got), len(body), err)
			}
		}
	}
}

// What can't be read to its end doesn't pass, and what decompresses to nothing is not held without
// bound.
func TestFilesThatHideSomething(t *testing.T) {
	whole := zipped(t, zip.Deflate, "text")
	empty := "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + strings.Repeat("\x00\x00\x00\xff\xff", 4<<20)
	for name, body := range map[string]string{
		"a gap": whole[:strings.LastIndex(whole, "PK\x03\x04")] + "\x00\x00\x00" +
			whole[strings.LastIndex(whole, "PK\x03\x04"):],
		"cut":          whole[:len(whole)/3],
		"empty blocks": empty,
		"value":        gzipped(t, strings.Repeat("x ", 100000)+secretB),
		"later stream": gzipped(t, "x") + "\x00\x00" + gzipped(t, secretB),
	} {
		resp := response(body)
		if err := atHome().Incoming(home, resp, nil); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		if diff := cmp.Diff(true, err != nil && len(got) < len(body)); diff != "" {
			t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(body), err)
		}
	}
}

// The time for a file does not grow with how often it was flushed.
func TestFlushedFileIsSearchedOnce(t *testing.T) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for range 20000 {
		_, _ = w.Write([]byte("x"))
		_ = w.Flush()
	}
	_ = w.Close()
	long := "k" + strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz", 80)
	s := New([]Credential{credential("A", long, home.Host)})
	resp := response(b.String())
	if err := s.Incoming(home, resp, nil); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, resp.Body); err != nil || n != int64(b.Len()) {
		t.Errorf("%d bytes, %v", n, err)
	}
}
