package backups

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

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

// A storage returns yesterday's backup, alike but with an older value, or a file whose head asks
// for half a gigabyte of memory. Neither counts as a backup, and neither is opened.
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
	costly := bytes.Clone(file)
	binary.BigEndian.PutUint32(costly[10:], 512<<10)
	for what, give := range map[string][]byte{"an older one": old, "a costly head": costly,
		"half of it": file[:len(file)/2], "more": append(bytes.Clone(file), 0)} {
		_ = os.RemoveAll(filepath.Join(dir, "scratch"))
		if err := h.verify(t.Context(), swapping{give: give}, settings.Passphrase, dir, &b, written); !errors.Is(err,
			errNotSame) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_ = os.RemoveAll(filepath.Join(dir, "scratch"))
	h.No(h.verify(t.Context(), swapping{give: file}, settings.Passphrase, dir, &b, written))
}

func TestSame(t *testing.T) {
	for _, x := range []struct {
		got, as string
		same    bool
	}{{"", "", true}, {"abc", "abc", true}, {"abc", "abd", false}, {"ab", "abc", false}, {"abc", "ab", false},
		{"", "a", false}} {
		for _, r := range []io.Reader{strings.NewReader(x.got), iotest.OneByteReader(strings.NewReader(x.got)),
			iotest.DataErrReader(strings.NewReader(x.got))} {
			if _, err := io.ReadAll(&equalReader{r: r, as: strings.NewReader(x.as)}); errors.Is(err, errNotSame) == x.same {
				t.Errorf("%q as %q: %v", x.got, x.as, err)
			}
		}
	}
}
