package backups

import (
	"bytes"
	"io"
	"log/slog"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access/accesstest"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/app/transfer/transfertest"
)

const words = transfertest.Words

func person() app.Actor { return transfertest.Person() }

func must[T any](t testing.TB) func(T, error) T { return accesstest.Must[T](t) }

func wantCode(t testing.TB, what string, err error, code app.Code) {
	t.Helper()
	accesstest.WantCode(t, what, err, code)
}

type fixture struct {
	*transfertest.Instance
	*Service
}

func newFixture(t testing.TB, label string) *fixture {
	return serve(transfertest.New(t, label), label, nil)
}

func furnished(t testing.TB, label string) (*fixture, app.Profile, string) {
	h, p, id := transfertest.Furnished(t, label)
	return serve(h, label, nil), p, id
}

// serve gives an instance its services. free returns its disk space; nil asks the file system.
func serve(h *transfertest.Instance, label string, free func(string) (int64, error)) *fixture {
	log := slog.New(slog.DiscardHandler)
	files := transfer.New(transfer.Config{Store: h.Store, Keyring: h.Ring, Files: h.Files, Dir: h.Dir, Instance: label,
		Program: "airlock test", Log: log, FreeSpace: free, Cost: archive.Cost{Memory: 8, Passes: 1, Lanes: 1}})
	return &fixture{h, New(Config{Store: h.Store, Keyring: h.Ring, Transfer: files, Dir: h.Dir, Instance: label, Log: log})}
}

func upload(file []byte) transfer.Upload {
	return transfer.Upload{Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file)), nil },
		Size: int64(len(file)), Passphrase: app.NewSecret(words)}
}
