package runner

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/files/search"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/plugins/wire"
	"github.com/computclaw/airlock/store"
)

// maxMaskedText is the largest text that is masked, in bytes; a larger one is searched. Masking holds a
// text and its views in memory, some twenty times its size, so that is also how much is masked at once.
const maxMaskedText = 4 << 20

// filesHook gives a script its files, and keeps what it leaves once that has been masked or searched.
// It is the first hook, so it is undone last: when all values are known.
type filesHook struct {
	runner    *Runner
	x         app.Execution
	redaction *redaction

	skill *skills.Launch // nil for a script
	left  []leftArtifact // only used by the session, and after it by After
	kept  int64          // bytes of those that are kept
}

// leftArtifact is something that a script left, unchecked.
type leftArtifact struct {
	guest.Artifact
	spool *files.Spool // nil if there is a problem
	full  bool         // it could not be spooled
}

// Before makes sure that all files are still there, and that the skill may still run.
func (h *filesHook) Before(ctx context.Context, b *Binding) error {
	if err := h.readSkill(ctx, b); err != nil {
		return err
	}
	for _, f := range b.source.Files {
		if h.runner.cfg.Files == nil || !f.Kept {
			return app.E(app.CodeFileNotFound, fmt.Sprintf("The file %q is not kept any more. The script did not run.", f.Name),
				"Send it again with POST /files.")
		}
	}
	return nil
}

// readSkill reads the skill that runs, if one does, and places the execution by it. A person may have
// revoked it since the submission, so it is resolved again here, and nowhere else.
func (h *filesHook) readSkill(ctx context.Context, b *Binding) error {
	if h.x.SkillDigest == "" {
		return nil
	}
	skills := h.runner.cfg.Skills
	if skills == nil {
		return app.E(app.CodeSkillNotFound, "no skill can be run here. It did not run.", "Ask the person who runs Airlock.")
	}
	launch, err := skills.Launch(ctx, h.x.ProfileHandle, h.x.SkillDigest, b.source.Inputs)
	if err != nil {
		return err
	}
	h.skill = &launch
	b.place, err = skills.Place(launch.Version, b.place)
	return err
}

// inputs are the skill, if one runs, and the files as the box gets them.
func (h *filesHook) inputs(ctx context.Context, b *Binding) (skill *wire.Skill, list []guest.InputFile) {
	if h.skill != nil {
		m := h.skill.Version.Manifest
		skill = &wire.Skill{Entrypoint: m.Entrypoint, Language: string(m.Language)}
		if packed := h.skill.Packed; h.skill.Inline() {
			skill.Packed = packed
		} else {
			list = append(list, guest.InputFile{Name: skills.PackedName, Size: int64(len(packed)),
				Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil }})
		}
	}
	for _, f := range b.source.Files {
		list = append(list, guest.InputFile{Name: f.Name, Size: f.Size, Open: func() (io.ReadCloser, error) {
			content, err := h.runner.cfg.Files.Open(ctx, f.Blob)
			if err != nil {
				h.runner.cfg.Log.Error("could not read a file", "execution", h.x.Handle, "error", err)
			}
			return content, err
		}})
	}
	return skill, list
}

// collector returns what takes what the script leaves; nil if nothing is kept here.
func (h *filesHook) collector() func(guest.Artifact, io.Reader) error {
	if h.runner.cfg.Files == nil {
		return nil
	}
	return h.collect
}

func (h *filesHook) collect(a guest.Artifact, content io.Reader) error {
	if content == nil {
		h.left = append(h.left, leftArtifact{Artifact: a})
		return nil
	}
	spool, err := h.spool(content)
	if err != nil {
		h.runner.cfg.Log.Error("could not take an artifact", "execution", h.x.Handle, "error", err)
	}
	h.left = append(h.left, leftArtifact{a, spool, err != nil})
	return nil
}

func (h *filesHook) spool(content io.Reader) (*files.Spool, error) {
	spool, err := h.runner.cfg.Files.NewSpool()
	if err != nil {
		return nil, err
	}
	if _, err = io.Copy(struct{ io.Writer }{spool}, content); err == nil {
		err = spool.Finish()
	}
	if err != nil {
		spool.Close()
		return nil, err
	}
	return spool, nil
}

// After masks or searches what the script left, and keeps what may go out.
func (h *filesHook) After(e *ending) {
	if len(h.left) == 0 {
		return
	}
	ctx := context.Background() // the execution's own may have ended
	if err := h.runner.redactions.Acquire(ctx, 1); err != nil {
		return
	}
	defer h.runner.redactions.Release(1)
	c := artifactCheck{hook: h, red: h.redaction.redactor(), names: map[string]bool{}}
	for _, a := range h.left {
		stored := c.keep(ctx, a)
		if stored.Withheld != "" {
			h.runner.cfg.Files.CountWithheld()
		}
		e.artifacts = append(e.artifacts, stored)
		if a.spool != nil {
			a.spool.Close()
		}
	}
}

// artifactCheck is the work on all artifacts of an execution.
type artifactCheck struct {
	hook   *filesHook
	red    checkedRedactor
	search *search.Search  // made when it is needed
	names  map[string]bool // folded
}

// keep returns what is stored of an artifact, with its content if that may go out.
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
	case a.full:
		stored.Withheld = "It could not be stored; the operator finds the reason in the log."
	default:
		c.names[folded] = true
		c.content(ctx, a, &stored)
	}
	return stored
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

// content checks an artifact's content and keeps it if it may go out.
func (c *artifactCheck) content(ctx context.Context, a leftArtifact, stored *store.StoredArtifact) {
	r, spool := c.hook.runner, a.spool
	masked, err := c.check(ctx, a, stored)
	if masked != nil {
		defer masked.Close()
		spool = masked
	}
	if err == nil && stored.Withheld == "" {
		err = c.store(ctx, spool, stored)
	}
	if app.CodeOf(err) == app.CodeTooLarge {
		stored.Withheld = "The profile's quota of stored files is used up."
		return
	}
	if err != nil {
		r.cfg.Log.Error("could not keep an artifact", "execution", c.hook.x.Handle, "error", err)
		stored.Withheld = "It could not be checked or stored; the operator finds the reason in the log."
	}
}

func (c *artifactCheck) store(ctx context.Context, spool *files.Spool, stored *store.StoredArtifact) error {
	kept := c.hook.runner.cfg.Files
	if err := kept.CheckQuota(ctx, c.hook.x.ProfileHandle, c.hook.kept+app.KeptBytes(spool.Size())); err != nil {
		return err
	}
	blob, err := kept.Keep(ctx, spool)
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

// check masks a text, and searches everything else. It returns the masked content, if anything was
// masked.
func (c *artifactCheck) check(ctx context.Context, a leftArtifact, stored *store.StoredArtifact) (masked *files.Spool,
	err error) {
	if c.red.err != nil {
		return nil, c.red.err
	}
	if a.Size <= maxMaskedText {
		masking := c.hook.runner.masking
		if err := masking.Acquire(ctx, a.Size); err != nil {
			return nil, err
		}
		defer masking.Release(a.Size)
		content, err := io.ReadAll(a.spool.Open())
		if err != nil {
			return nil, err
		}
		if text := string(content); utf8.ValidString(text) && !strings.ContainsRune(text, 0) {
			return c.mask(text, stored)
		}
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
		c.search = search.New(c.red.red, func() (search.Temp, error) {
			spool, err := c.hook.runner.cfg.Files.NewSpool()
			return spool, err
		})
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

// mediaType guesses what a content is, for people who look at it. Nothing is decided by it.
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
