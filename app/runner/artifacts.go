package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/files/search"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/plugins/wire"
	"github.com/computclaw/airlock/store"
)

// maxMaskedText is the largest text that is masked, in bytes; a larger one is searched.
const maxMaskedText = 4 << 20

// artifactCheck is the work on all artifacts of an execution.
type artifactCheck struct {
	hook   *filesHook
	red    checkedRedactor
	search *search.Search  // made when it is needed
	names  map[string]bool // folded

	patience time.Duration // with the storage
}

// keep returns what is stored of an artifact, with content that may go out.
func (c *artifactCheck) keep(ctx context.Context, a leftArtifact) store.StoredArtifact {
	r := c.hook.runner
	name, hits := c.red.Text(files.ShownName(a.Name))
	c.hook.redaction.count("artifacts", hits)
	stored := store.StoredArtifact{Name: name, Size: a.Size, ExpiresAt: r.cfg.Now().Add(r.cfg.Files.Retention())}
	folded := files.FoldName(a.Name)
	switch {
	case a.Problem == wire.ProblemMany:
		stored.Name, stored.Size = redact.Fixed("…"), 0
		stored.Withheld = fmt.Sprintf("%d more entries were not collected: an execution may leave %d files.", a.Size,
			wire.MaxFiles)
	case a.Problem != "":
		stored.Withheld = problemText(a.Problem)
	case hits.Total() > 0:
		stored.Withheld, stored.Key = "Its name holds a secret value.", keyOf(hits)
	case files.NameProblem(a.Name) != "":
		stored.Withheld = "Its name " + files.NameProblem(a.Name) + "."
	case c.names[folded]:
		stored.Withheld = "Its name differs from another one's in case only."
	case a.err != nil:
		stored.Withheld = c.notKept(ctx, a.err)
	default:
		c.names[folded] = true
		c.content(ctx, a, &stored)
	}
	return stored
}

// errStorageSlow says that the storage used up storeWithin.
var errStorageSlow = errors.New("runner: the storage is too slow")

// notKept says why a content is not kept though nothing is wrong with it.
func (c *artifactCheck) notKept(ctx context.Context, err error) string {
	switch app.CodeOf(err) {
	case app.CodeTooLarge:
		return "The profile's quota of stored files is used up."
	case app.CodeStorageFull:
		return "The server's disk has no room for it."
	}
	switch {
	case stopIn(err) != nil:
		return "The execution was cancelled before it was checked and stored."
	case errors.Is(err, errEndsCut):
		return "It could not be checked: Airlock was stopped first."
	case errors.Is(err, errStorageSlow):
		c.hook.runner.cfg.Log.Warn("an artifact was not kept in time", "execution", c.hook.x.Handle, "error", err)
		return "The storage did not take it in time."
	}
	c.hook.runner.cfg.Log.Error("could not keep an artifact", "execution", c.hook.x.Handle, "error", err)
	return "It could not be checked or stored; the operator finds the reason in the log."
}

func problemText(p wire.ArtifactProblem) string {
	switch p {
	case wire.ProblemDirectory:
		return "It is a directory. Leave files, or put it into one with shutil.make_archive."
	case wire.ProblemLink:
		return "It is a symbolic link, and those are not followed."
	case wire.ProblemLarge:
		return "It is too large: the files of an execution may have " + app.FormatSize(wire.MaxFileBytes) + " together."
	case wire.ProblemUnreadable:
		return "It can't be read."
	}
	return "It is not a regular file."
}

func (c *artifactCheck) content(ctx context.Context, a leftArtifact, stored *store.StoredArtifact) {
	spool := a.spool
	masked, err := c.check(ctx, a, stored)
	if masked != nil {
		defer masked.Close()
		spool = masked
	}
	if err == nil && stored.Withheld == "" {
		err = c.store(ctx, spool, stored)
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		stored.Withheld = c.notKept(ctx, err)
	}
}

func (c *artifactCheck) store(ctx context.Context, spool *files.Spool, stored *store.StoredArtifact) error {
	kept := c.hook.runner.cfg.Files
	if err := kept.CheckQuota(ctx, c.hook.x.ProfileHandle, c.hook.kept+app.KeptBytes(spool.Size())); err != nil {
		return err
	}
	began := time.Now()
	within, cancel := context.WithTimeoutCause(ctx, c.patience, errStorageSlow)
	defer cancel()
	blob, err := kept.Keep(within, spool)
	c.patience -= time.Since(began)
	if err != nil && within.Err() != nil {
		return context.Cause(within)
	}
	if err != nil {
		return err
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(spool.Open(), head)
	if n == 0 && spool.Size() > 0 {
		return err
	}
	stored.Blob, stored.Size, stored.SHA256 = blob.ID, spool.Size(), spool.SHA256()
	stored.Type = mediaType(stored.Name.String(), head[:n])
	c.hook.kept += app.KeptBytes(spool.Size())
	return nil
}

// check masks a text or searches other content, in the profile's turn. It returns the content if
// anything was masked.
func (c *artifactCheck) check(ctx context.Context, a leftArtifact, stored *store.StoredArtifact) (masked *files.Spool,
	err error) {
	if c.red.err != nil {
		return nil, c.red.err
	}
	turn := c.hook.runner.lanes.inTurn(ctx, c.hook.x.ProfileHandle, a.Size, func() {
		masked, err = c.maskOrFind(a, stored)
	})
	return masked, cmp.Or(turn, err)
}

func (c *artifactCheck) maskOrFind(a leftArtifact, stored *store.StoredArtifact) (*files.Spool, error) {
	if a.Size > maxMaskedText {
		return nil, c.find(a, stored)
	}
	content, err := io.ReadAll(a.spool.Open())
	if err != nil {
		return nil, err
	}
	if text := string(content); utf8.ValidString(text) && !strings.ContainsRune(text, 0) {
		return c.mask(text, stored)
	}
	return nil, c.find(a, stored)
}

func (c *artifactCheck) mask(text string, stored *store.StoredArtifact) (*files.Spool, error) {
	clean, hits := c.red.Text(text)
	if clean.String() == text {
		return nil, nil
	}
	c.hook.redaction.count("artifacts", hits)
	stored.Masked = hits.Total()
	return c.hook.spool(strings.NewReader(clean.String()))
}

func (c *artifactCheck) find(a leftArtifact, stored *store.StoredArtifact) error {
	if !c.red.red.KnowsValues() {
		return nil
	}
	if c.search == nil {
		c.search = search.New(c.red.red)
	}
	found, err := c.search.File(a.spool.Open())
	switch {
	case err != nil:
		return err
	case found.Hits.Total() > 0:
		c.hook.redaction.count("artifacts", found.Hits)
		stored.Withheld, stored.Key = "It holds a secret value.", keyOf(found.Hits)
	case found.Unsearch != "":
		stored.Withheld = "It could not be searched for secret values: " + found.Unsearch + "."
	}
	return nil
}

// keyOf returns the script's own key among hits; "" if none of it was found.
func keyOf(hits redact.Hits) string {
	for _, h := range hits {
		if h.Name != "" && h.Rule == "" {
			return h.Name
		}
	}
	return ""
}

// mediaType guesses a content's type, for people only.
func mediaType(name string, head []byte) string {
	guess, _, _ := strings.Cut(http.DetectContentType(head), ";")
	suffix := strings.ToLower(filepath.Ext(name))
	switch guess {
	case "text/plain":
		texts := map[string]string{".csv": "text/csv", ".json": "application/json", ".md": "text/markdown"}
		if named := texts[suffix]; named != "" {
			return named
		}
	case "application/zip":
		const office = "application/vnd.openxmlformats-officedocument."
		if named := map[string]string{".xlsx": office + "spreadsheetml.sheet", ".docx": office + "wordprocessingml.document",
			".pptx": office + "presentationml.presentation"}[suffix]; named != "" {
			return named
		}
	}
	return guess
}
