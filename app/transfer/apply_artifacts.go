package transfer

import (
	"context"

	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// arriving is an artifact whose content is being read.
type arriving struct {
	row   store.ArtifactRow
	spool *files.Spool // nil: none is
}

// close gives up what arrived.
func (a *arriving) close() {
	if a.spool != nil {
		a.spool.Close()
		a.spool = nil
	}
}

// await makes room for an artifact's content, which follows.
func (m *importer) await(row store.ArtifactRow) (err error) {
	m.arriving.row = row
	m.arriving.spool, err = m.s.cfg.Files.NewSpool()
	return err
}

// content takes a piece of an artifact's content. With the last one the artifact is stored; its content is
// kept as long as that of a new one. What the lines say was checked when they were read.
func (m *importer) content(ctx context.Context, r content.Piece) error {
	a := &m.arriving
	if a.spool == nil {
		return nil
	}
	if _, err := a.spool.Write(r.Data); err != nil {
		return err
	}
	if !r.End && !r.Lost {
		return nil
	}
	defer a.close()
	if r.End {
		if err := a.spool.Finish(); err != nil {
			return err
		}
		blob, err := m.s.cfg.Files.KeepIn(ctx, m.tx, a.spool)
		if err != nil {
			return err
		}
		until := m.now.Add(m.s.cfg.Files.Retention()).UnixMilli()
		a.row.BlobID, a.row.ExpiresAt = &blob.ID, max(a.row.ExpiresAt, until)
	}
	return m.addNew(ctx, a.row)
}
