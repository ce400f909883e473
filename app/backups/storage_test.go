package backups

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// swapping is a storage that keeps one thing and gives back another.
type swapping struct {
	blobs.Store
	give []byte
}

func (s swapping) Get(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(s.give)), nil
}

// A storage returns yesterday's backup, alike but with an older value, or other bytes. Neither counts
// as a backup, and neither is opened.
func TestWhatTheStorageMadeUpIsNoBackup(t *testing.T) {
	h := newFixture(t, "aaaa")
	h.Credential("STRIPE_KEY", "sk_live_of_yesterday", "api.stripe.com")
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	settings := toDir(t.TempDir())
	write := func() (b store.Backup, file []byte, written content.Counts) {
		_ = os.Remove(path)
		b.Name = "airlock-aaaa-x"
		written = must[content.Counts](t)(h.writeBackup(t.Context(), path, settings.Passphrase,
			transfer.Selection{History: true}, &b))
		return b, must[[]byte](t)(os.ReadFile(path)), written
	}
	_, old, _ := write()
	h.Credential("STRIPE_KEY", "sk_live_of_today", "api.stripe.com")
	b, file, written := write()
	other := bytes.Clone(file)
	other[len(file)/2]++
	for what, give := range map[string][]byte{"an older one": old, "other bytes": other,
		"half of it": file[:len(file)/2], "more": append(bytes.Clone(file), 0)} {
		err := h.verify(t.Context(), swapping{give: give}, settings.Passphrase, path, &b, written)
		if !errors.Is(err, errNotSame) {
			t.Errorf("%s: %v", what, err)
		}
	}
	h.No(h.verify(t.Context(), swapping{give: file}, settings.Passphrase, path, &b, written))
}
