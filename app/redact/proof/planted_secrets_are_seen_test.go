package proof

import (
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/store"
)

// A detector that finds nothing proves nothing: these tests let secrets through, and it must find
// them. All go through an instance, as in the proof.

// planted makes a case of every channel and every encoder, unmasked.
func planted(t *testing.T) (list []entry) {
	t.Helper()
	for _, channel := range channels() {
		for _, e := range append(encoders(), encoder{"", func(_ *rand.Rand, text string) string { return text }}) {
			r := rand.New(rand.NewPCG(*seed, uint64(len(list))))
			a := attempt{Secret: letters(r, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", 30),
				Channel: channel}
			if e.name != "" {
				a.Forms = []string{e.name}
			}
			a.Text = "it is " + e.encode(r, a.Secret) + " now"
			s, err := a.unmasked(r)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, entry{len(list), a, s})
		}
	}
	return list
}

// seen returns what a new detector finds of the planted cases in what keep leaves of the request,
// by case.
func seen(t *testing.T, entries []entry, keep func(*instance, *batch) error) map[int][]string {
	t.Helper()
	p, err := newPlan(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, p)
	b.change = keep
	found, err := b.kept(t.Context(), newDetector(t), t.TempDir(), entries)
	if err != nil {
		t.Fatal(err)
	}
	places := map[int][]string{}
	for _, f := range found {
		name, _, _ := strings.Cut(f.Where, ": ")
		places[f.Case] = append(places[f.Case], name)
	}
	return places
}

// only clears what a test doesn't want to be looked at.
func (b *batch) only(out, page, answer, files bool) {
	for i := range b.Executions {
		x := &b.Executions[i]
		for j := range x.Cases {
			if !out {
				x.Cases[j].Out, x.Cases[j].JSON = []string{}, false
			}
		}
		if !page {
			x.Page = ""
		}
		if !answer {
			x.Answer = "{}"
		}
	}
	b.Pages = []string{}
	if !files {
		b.Files = []string{}
	}
}

// TestEveryEncoderIsSeen plants a case of every encoder in every channel, and has the detector look
// at one place at a time.
func TestEveryEncoderIsSeen(t *testing.T) {
	entries := planted(t)
	for _, place := range []string{"out", "page", "answer"} {
		found := seen(t, entries, func(_ *instance, b *batch) error {
			b.only(place == "out", place == "page", place == "answer", false)
			return nil
		})
		for _, e := range entries {
			if place == "answer" && e.Channel == "script" { // which no agent gets
				continue
			}
			if !slices.Contains(found[e.number], place) {
				t.Errorf("%s: %s %v is not seen", place, e.Channel, e.Forms)
			}
		}
	}
}

// TestEveryFileIsSeen plants the same where the detector has the database, its write-ahead log and
// the log, and nothing else. In them it looks for what is written in one encoding at most, and at
// the text's own alignment.
func TestEveryFileIsSeen(t *testing.T) {
	entries := planted(t)
	spelled := []string{"", "base64", "base64url", "hex", "HEX", "percent", "percent all", "JSON", "JSON u", "Go quote",
		"HTML", "reversed"}
	for _, file := range []string{store.FileName, store.FileName + "-wal", logFile} {
		found := seen(t, entries, func(h *instance, b *batch) error {
			b.only(false, false, false, true)
			b.Files = slices.DeleteFunc(b.Files, func(path string) bool { return filepath.Base(path) != file })
			if len(b.Files) != 1 {
				t.Errorf("%s: the instance has %d", file, len(b.Files))
			}
			if file == logFile {
				log := slog.New(slog.NewJSONHandler(h.log, nil))
				for _, e := range entries {
					log.Info("planted", "text", e.attempt.Text)
				}
			}
			if file == store.FileName {
				return h.settle(t.Context())
			}
			return nil
		})
		for _, e := range entries {
			if slices.Contains(spelled, strings.Join(e.Forms, "")) && e.Channel != "split" &&
				!slices.Contains(found[e.number], file) {
				t.Errorf("%s: %s %v is not seen", file, e.Channel, e.Forms)
			}
		}
	}
}

// TestRandomCasesAreSeen sends cases of the proof itself through a redactor that knows nothing. A
// few are beyond the detector, such as ascii85 beside characters that may belong to it.
func TestRandomCasesAreSeen(t *testing.T) {
	const n = 600
	p, err := newPlan(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b, d := newBench(t, p), newDetector(t)
	b.pass = attempt.unmasked
	b.change = func(_ *instance, b *batch) error {
		b.only(true, false, false, false)
		return nil
	}
	missed := map[int]bool{}
	for from, to := 0, firstBatch; from < n; from, to = to, n {
		_, found, err := b.some(t.Context(), d, t.TempDir(), from, to)
		if err != nil {
			t.Fatal(err)
		}
		for i := from; i < to; i++ {
			missed[i] = true
		}
		for _, f := range found {
			delete(missed, f.Case)
		}
	}
	if len(missed) > n/20 {
		t.Errorf("the detector misses %d of %d: %v", len(missed), n, missed)
	}
	t.Logf("the detector finds %d of %d", n-len(missed), n)
}
