package blobs

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// A stranger puts a pipe without a writer where a backup was. Opening it would block this and every
// later backup.
func TestAPipeInABackupsPlaceHoldsNobodyUp(t *testing.T) {
	path := t.TempDir()
	d, err := OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(path, "airlock-a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Get(t.Context(), "airlock-a"); err == nil || !strings.Contains(err.Error(), "regular") {
		t.Errorf("a pipe: %v", err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(path, "airlock-b")); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Get(t.Context(), "airlock-b"); err == nil {
		t.Error("a link was followed")
	}
}

func hostileS3(t *testing.T, fn func(w io.Writer, r *http.Request)) *Bucket {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/xml")
		if r.URL.Query().Has("location") {
			fmt.Fprint(w, `<LocationConstraint>us-east-1</LocationConstraint>`)
			return
		}
		fn(w, r)
	}))
	t.Cleanup(server.Close)
	return bucket(t, server.URL)
}

// A list is decoded in memory. A hostile storage could send an endless one, or endless pages.
func TestAListThatDoesNotEndIsGivenUp(t *testing.T) {
	var sent atomic.Int64
	page := `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>`
	long := hostileS3(t, func(w io.Writer, _ *http.Request) {
		fmt.Fprint(w, page)
		for range 32 * maxAnswer / (1 << 10) {
			n, err := io.WriteString(w, strings.Repeat(" ", 1<<10))
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
		fmt.Fprint(w, "</ListBucketResult>")
	})
	if _, err := long.List(t.Context(), "airlock-"); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("one long page: %v", err)
	}
	if sent.Load() >= 32*maxAnswer {
		t.Errorf("%d bytes were taken", sent.Load())
	}
	names := strings.Repeat("<Contents><Key>airlock/airlock-aaaa-x</Key></Contents>", 10_000)
	many := hostileS3(t, func(w io.Writer, _ *http.Request) { fmt.Fprint(w, page+names+"</ListBucketResult>") })
	if _, err := many.List(t.Context(), "airlock-"); err == nil || !strings.Contains(err.Error(), "more than") {
		t.Errorf("page after page: %v", err)
	}
}

func TestAListHoldsWhatWasAskedFor(t *testing.T) {
	b := hostileS3(t, func(w io.Writer, _ *http.Request) {
		fmt.Fprint(w, `<ListBucketResult><Contents><Key>airlock/other</Key></Contents>`+
			`<Contents><Key>airlock-x</Key></Contents><Contents><Key>airlock/airlock-a</Key></Contents></ListBucketResult>`)
	})
	list, err := b.List(t.Context(), "airlock-a")
	if err != nil || len(list) != 1 || list[0].Name != "airlock-a" {
		t.Errorf("%v, %v", list, err)
	}
}
