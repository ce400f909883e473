package cli_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// moreMemory bounds the additional KiB of server and backend for files of 64 MiB: buffers and
// uncollected memory.
const moreMemory = 24 << 10

// TestLargeFilesTakeNoMemory sends 64 MiB to a script and back, and measures peak memory of server
// and backend: see onBackends.
func TestLargeFilesTakeNoMemory(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	d, backends := onBackends(t)
	content := make([]byte, 64<<20)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content)
	for _, backend := range backends {
		profile := d.PlaceProfile(backend, "--key", "TOKEN")
		d.passThrough(profile, content[:1<<20])
		d.resetPeaks()
		d.passThrough(profile, content[:1<<20])
		small := d.peaks()
		d.resetPeaks()
		d.passThrough(profile, content)
		for name, large := range d.peaks() {
			t.Logf("%s: %s had %d KiB with small files, and %d KiB with 64 MiB", backend, name, small[name], large)
			if large > small[name]+moreMemory {
				t.Errorf("%s: %s took %d MiB more for 64 MiB", backend, name, (large-small[name])>>10)
			}
		}
	}
}

func (d filesDesk) passThrough(profile string, content []byte) {
	d.T.Helper()
	began := time.Now()
	id := d.upload(profile, "a.bin", content)
	uploaded := time.Since(began)
	script := "import os, shutil\nshutil.copyfile(files.path('a.bin'), os.environ['AIRLOCK_OUT'] + '/b.bin')"
	x := d.run(profile, map[string]any{"script": script, "timeout": 60, "files": map[string]string{"a.bin": id}})
	if len(x.Artifacts) != 1 || x.Artifacts[0].URL == "" {
		d.T.Fatalf("%+v", x)
	}
	ran := time.Since(began)
	response, err := http.Get(x.Artifacts[0].URL)
	e2e.Must(d.T, err)
	defer response.Body.Close()
	got := sha256.New()
	n, err := io.Copy(got, response.Body)
	want := sha256.Sum256(content)
	if err != nil || response.StatusCode != http.StatusOK || n != int64(len(content)) || !bytes.Equal(got.Sum(nil), want[:]) ||
		hex.EncodeToString(want[:]) != x.Artifacts[0].SHA256 {
		d.T.Fatalf("%d, %d bytes, %v", response.StatusCode, n, err)
	}
	d.T.Logf("%d KiB: up %v, run %v, down %v", len(content)>>10, uploaded, ran-uploaded, time.Since(began)-ran)
}

func (d filesDesk) own() map[string]int {
	own := map[string]int{"serve": d.Server.Process.Pid}
	for _, p := range d.Processes() {
		if _, name, plugin := strings.Cut(p.Line, " plugin "); plugin {
			own[name] = p.PID
		}
	}
	return own
}

func (d filesDesk) resetPeaks() {
	d.T.Helper()
	for _, pid := range d.own() {
		e2e.ResetPeak(d.T, pid)
	}
}

func (d filesDesk) peaks() map[string]int {
	d.T.Helper()
	peaks := map[string]int{}
	for name, pid := range d.own() {
		peaks[name] = e2e.Peak(d.T, pid)
	}
	return peaks
}
