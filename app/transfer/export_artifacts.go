package transfer

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/transfer/archive"
	"github.com/computclaw/airlock/app/transfer/content"
	"github.com/computclaw/airlock/store"
)

// contentPiece is the size of an artifact's piece in one line, in bytes. It bounds the memory for
// writing and reading.
const contentPiece = 512 << 10

// ArtifactBytes returns the contents' share of an export of these profiles. nil means all profiles.
func (s *Service) ArtifactBytes(ctx context.Context, profiles []string) (bytes int64, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		bytes, err = tx.Executions.ArtifactBytes(ctx, profiles)
		return err
	})
	return bytes, err
}

// content writes an artifact's content in pieces. Lost or damaged content must not make exports
// fail.
func (e *exporter) content(ctx context.Context, tx *store.Tx, row store.ArtifactRow) error {
	last := content.Piece{End: true}
	err := e.pieces(ctx, tx, row)
	if errors.Is(err, archive.ErrDamaged) || app.CodeOf(err) == app.CodeNotFound {
		e.s.cfg.Log.ErrorContext(ctx, "the content of an artifact can't be read", "sha256", row.SHA256, "error", err)
		e.lostArtifacts++
		last, err = content.Piece{Lost: true}, nil
	}
	if err != nil {
		return err
	}
	return e.out.Write(content.Record{Content: &last})
}

func (e *exporter) pieces(ctx context.Context, tx *store.Tx, row store.ArtifactRow) error {
	kept, err := e.s.cfg.Files.OpenIn(ctx, tx, *row.BlobID)
	if err != nil {
		return err
	}
	defer func() { _ = kept.Close() }()
	sum, piece := sha256.New(), make([]byte, contentPiece)
	for {
		n, err := io.ReadFull(kept, piece)
		sum.Write(piece[:n])
		if n > 0 {
			if err := e.out.Write(content.Record{Content: &content.Piece{Data: piece[:n]}}); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			if hex.EncodeToString(sum.Sum(nil)) != row.SHA256 {
				return archive.ErrDamaged
			}
			return nil
		case err != nil:
			return err
		}
	}
}
