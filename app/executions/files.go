package executions

import (
	"context"
	"io"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/store"
)

// tmpReserve is the part of a script's /tmp kept free of its files, in bytes.
const tmpReserve = 1 << 20

// resolveFiles finds a submission's files, and keeps those of a re-run's original.
func (s *Submitter) resolveFiles(ctx context.Context, profileHandle string, sub *Submission) error {
	room := s.cfg.Runner.Tmp() - tmpReserve
	named, err := s.cfg.Files.Resolve(ctx, profileHandle, sub.Files, room)
	if err != nil {
		return err
	}
	for _, f := range sub.files {
		if !f.Kept {
			err := app.E(app.CodeFileNotFound, "the file "+f.Name+" of that execution is not kept any more",
				"Send it again with POST /files, and name all files in the request.")
			err.Field = "files"
			return err
		}
		named = append(named, f)
	}
	sub.files = named
	return files.CheckTotal(named, room)
}

// checkFileNames refuses names that contain a secret: they are stored and shown unmasked.
func checkFileNames(red *redact.Redactor, list []store.InputFile) error {
	for _, f := range list {
		if _, hits := red.Text(f.Name); hits.Total() > 0 {
			return app.Invalid("files", "the name of a file holds a secret", "Name it without.")
		}
	}
	return nil
}

// InputFiles returns an execution's input files, by name.
func (s *Reader) InputFiles(ctx context.Context, handle string) (list []app.InputFile, err error) {
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) error {
		given, err := tx.Executions.InputFiles(ctx, handle)
		for _, f := range given {
			list = append(list, f.InputFile)
		}
		return err
	})
	return list, err
}

// Artifacts returns an execution's artifacts in order. It remembers executions without any.
func (s *Reader) Artifacts(ctx context.Context, x app.Execution) (list []app.Artifact, err error) {
	e, cached := s.cfg.Cache.cache.Get(x.ID)
	if cached && e.leftNothing {
		return nil, nil
	}
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		list, err = tx.Executions.Artifacts(ctx, x.Handle)
		return err
	})
	if err == nil && cached && len(list) == 0 {
		e.leftNothing = true
		s.cfg.Cache.add(e)
	}
	return list, err
}

// OpenArtifact opens an artifact's content. The caller closes it. CodeNotFound for an unknown name,
// or content no longer kept.
func (s *Reader) OpenArtifact(ctx context.Context, handle, name string) (a app.Artifact, content io.ReadCloser,
	err error) {
	var blob store.Blob
	err = s.cfg.Store.Read(ctx, func(tx *store.Tx) (err error) {
		a, blob, err = tx.Executions.Artifact(ctx, handle, name)
		return err
	})
	if err == nil {
		content, err = s.cfg.Files.Open(ctx, blob.ID)
	}
	return a, content, err
}
