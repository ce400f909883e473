package transfer

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

func withArtifacts() Selection { return Selection{History: true, Artifacts: true} }

// Contents of artifacts travel in imports and restores if a person chose them; otherwise only their
// descriptions do. The added size is told before.
func TestArtifactsTravelWithTheirContents(t *testing.T) {
	h := newFixture(t, "aaaa")
	p, other := h.Locked("p", nil), h.Locked("another", nil)
	h.Left = strings.Repeat("0123456789", 150_000) // several pieces
	id := h.HandleOf(h.Execution(p))
	h.Left = strings.Repeat("x", contentPiece) // exactly one
	second := h.HandleOf(h.Execution(other))
	for _, c := range []struct {
		profiles []string
		want     int64
	}{{nil, 1_500_000 + contentPiece}, {[]string{p.Handle}, 1_500_000}} {
		if n := must[int64](t)(h.ArtifactBytes(t.Context(), c.profiles)); n != c.want {
			t.Errorf("%d bytes, want %d", n, c.want)
		}
	}
	with, without := h.export(withArtifacts()), h.export(all())
	imported, restored, bare := newFixture(t, "bbbb"), newFixture(t, "cccc"), newFixture(t, "dddd")
	imported.take(with, Choice{History: true})
	must[content.Counts](t)(restored.Fill(t.Context(), upload(with), nil))
	bare.take(without, Choice{History: true})
	for name, target := range map[string]*fixture{"import": imported, "restore": restored} {
		target.T = t
		first, until := target.Artifact(t.Context(), id)
		next, _ := target.Artifact(t.Context(), second)
		if first != strings.Repeat("0123456789", 150_000) || next != h.Left || time.Until(until) < 24*time.Hour {
			t.Errorf("%s: %d and %d bytes, until %s", name, len(first), len(next), until)
		}
	}
	if text, _ := bare.Artifact(t.Context(), id); text != "" {
		t.Errorf("%d bytes came unasked", len(text))
	}
	_, err := h.Export(t.Context(), person(), io.Discard, app.NewSecret(words), Selection{Artifacts: true}, nil)
	wantCode(t, "artifacts without executions", err, app.CodeInvalidField)
	if r := imported.take(with, Choice{History: true}); r.Executions != 0 {
		t.Errorf("%+v", r)
	}
}

// Other artifacts are exported, and so are the descriptions of lost ones.
func TestLostArtifactsAreSaidAndStopNoExport(t *testing.T) {
	h := newFixture(t, "aaaa")
	p := h.Locked("p", nil)
	var handles []string
	for _, text := range []string{"lost", "damaged", "here"} {
		h.Left = strings.Repeat(text, 300_000)
		handles = append(handles, h.HandleOf(h.Execution(p)))
	}
	for i, damage := range []func(path string) error{os.Remove, func(path string) error { return os.Truncate(path, 1_000_000) }} {
		var blob store.Blob
		h.No(h.Store.Read(t.Context(), func(tx *store.Tx) (err error) {
			_, blob, err = tx.Executions.Artifact(t.Context(), handles[i], "report.csv")
			return err
		}))
		h.No(damage(filepath.Join(h.Dir, "files", blob.Name)))
	}
	var file strings.Builder
	done := must[Exported](t)(h.Export(t.Context(), person(), &file, app.NewSecret(words), withArtifacts(), nil))
	if want := "It has no content of 2 artifacts: the storage has lost them."; done.LostSentence() != want {
		t.Errorf("%q, want %q", done.LostSentence(), want)
	}
	fresh := newFixture(t, "bbbb")
	fresh.take([]byte(file.String()), Choice{History: true})
	for i, want := range []int{0, 0, len(h.Left)} {
		if text, _ := fresh.Artifact(t.Context(), handles[i]); len(text) != want {
			t.Errorf("artifact %d has %d bytes, want %d", i, len(text), want)
		}
	}
}

// An artifact has its digest's whole content or none.
func TestContentsThatWereChangedAreRefused(t *testing.T) {
	h := newFixture(t, "aaaa")
	h.Left = strings.Repeat("y", contentPiece+10)
	h.Execution(h.Locked("p", nil))
	pieces := 0
	piece := func(change func(*content.Piece) bool) func(*content.Record) bool {
		return func(r *content.Record) bool {
			if r.Content == nil {
				return true
			}
			pieces++
			return change(r.Content)
		}
	}
	for name, change := range map[string]func(r *content.Record) bool{
		"a byte": piece(func(c *content.Piece) bool {
			if pieces == 1 {
				c.Data[7] = 'n'
			}
			return true
		}),
		"more":   piece(func(c *content.Piece) bool { c.Data = append(c.Data, 'y'); return true }),
		"an end": piece(func(c *content.Piece) bool { c.End = true; return true }),
		"no end": piece(func(c *content.Piece) bool { c.End = false; return true }),
		"withheld": func(r *content.Record) bool {
			if r.Artifact != nil {
				r.Artifact.Withheld = "secret"
			}
			return true
		},
		"not announced": func(r *content.Record) bool {
			if r.Artifact != nil {
				r.Artifact.Kept = false
			}
			return true
		},
	} {
		t.Run(name, func(t *testing.T) {
			pieces = 0
			fresh := newFixture(t, "bbbb")
			file := forgeOf(t, h, withArtifacts(), change)
			_, err := fresh.Fill(t.Context(), upload(file), nil)
			wantCode(t, "a restore", err, app.CodeInvalidField)
		})
	}
}
