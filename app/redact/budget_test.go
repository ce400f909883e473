package redact

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"io"
	"strings"
	"testing"
	"time"
)

// packed64 is a text that a writer made smaller, in base64 without padding.
func packed64(t *testing.T, text string, writer func(io.Writer) io.WriteCloser) string {
	t.Helper()
	var b bytes.Buffer
	w := writer(&b)
	_, err := io.WriteString(w, text)
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawStdEncoding.EncodeToString(b.Bytes())
}

func zlibOf(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }

// inflated is what one piece of compressed data may expand to.
const inflated = 1 << 20

// TestBudget: what would take too long to look at is masked, not let through.
func TestBudget(t *testing.T) {
	t.Parallel()
	number := strings.Repeat("123456789", (2<<20)/8)
	bomb := packed64(t, strings.Repeat("0", inflated)+long, zlibOf) // the value is beyond what is looked at
	for name, text := range map[string]string{"digits": number, "a bomb": bomb,
		"a gzip bomb": packed64(t, strings.Repeat("0", inflated)+long,
			func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })} {
		got, hits := of(long).Text("n = " + text + "\n")
		if got.String() != "n = [REDACTED: could not be checked]\n" || len(hits) != 1 ||
			hits[0] != (Hit{Encoding: "not checked", Count: 1}) {
			t.Errorf("%s: %.200s, %v", name, got, hits)
		}
	}
}

// TestBudgetOfManyBombs: each piece of compressed data is small enough to be looked at, all
// together they are not. Nothing of what was left out is shown: none of them holds ordinary text,
// and the last one holds a value.
func TestBudgetOfManyBombs(t *testing.T) {
	t.Parallel()
	almost := packed64(t, strings.Repeat("0", inflated/2), zlibOf)
	last := packed64(t, strings.Repeat("0", inflated/2)+long, zlibOf)
	got, hits := of(long).Text(strings.Repeat(almost+"\n", 2*minBudget/inflated+2) + last + "\n")
	if strings.Contains(got.String(), last[:40]) || !strings.Contains(got.String(), maskUnchecked) ||
		hits.Total() == 0 {
		t.Errorf("%.3000s, %v", got, hits)
	}
}

// TestBudgetOfEncodings: encodings within one another that make more text than may be looked at are
// masked as a whole.
func TestBudgetOfEncodings(t *testing.T) {
	text := strings.Repeat(packed64(t, strings.Repeat(`\u0041%41&#65;`, 60_000), zlibOf)+" ", 6)
	start := time.Now()
	got, hits := of(long).Text(text)
	if !strings.Contains(got.String(), maskUnchecked) || hits.Total() == 0 {
		t.Errorf("%.300s, %v, after %s", got, hits, time.Since(start))
	}
}

// TestGzipHeaders: a gzip header may have a name, a comment, a field for others and a check sum of
// its own, as the tool gzip writes them.
func TestGzipHeaders(t *testing.T) {
	t.Parallel()
	header := func(change func(*gzip.Header)) string {
		return packed64(t, long, func(w io.Writer) io.WriteCloser {
			z := gzip.NewWriter(w)
			change(&z.Header)
			return z
		})
	}
	all := header(func(h *gzip.Header) { h.Name, h.Comment, h.Extra = "report.csv", "of today", []byte("0123456789") })
	withSum, err := base64.RawStdEncoding.DecodeString(header(func(*gzip.Header) {}))
	if err != nil {
		t.Fatal(err)
	}
	withSum[3] |= 2
	withSum = append(withSum[:10:10], append([]byte{1, 2}, withSum[10:]...)...)
	for name, form := range map[string]string{
		"name":    header(func(h *gzip.Header) { h.Name = "report.csv" }),
		"comment": header(func(h *gzip.Header) { h.Comment = "of today" }),
		"extra":   header(func(h *gzip.Header) { h.Extra = []byte("0123456789") }), "all": all,
		"sum": base64.StdEncoding.EncodeToString(withSum),
	} {
		got, hits := of(long).Text("x " + form + "\n")
		if got.String() != "x [REDACTED]\n" || hits.Total() != 1 {
			t.Errorf("%s: %q became %q", name, form, got)
		}
	}
	// A header that ends too soon, and a name without end, are no gzip: they stay, and nothing
	// fails.
	cut := "H4sIGAAAAAAA/" + strings.Repeat("AAAA", 2)
	if got, _ := of(long).Text(cut); got.String() != cut {
		t.Errorf("%q became %q", cut, got)
	}
	endless := base64.StdEncoding.EncodeToString(append([]byte{0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0xff},
		bytes.Repeat([]byte{7}, 4<<10)...))
	if got, _ := of(long).Text(endless); got.String() != endless {
		t.Errorf("%.60q became %.60q", endless, got)
	}
}
