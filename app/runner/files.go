package runner

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/files"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/plugins/wire"
)

// filesHook gives a script its files and keeps its artifacts after masking or search. It is the
// first hook, so it is undone last, when all values are known.
type filesHook struct {
	runner    *Runner
	x         app.Execution
	redaction *redaction
	checks    context.Context // ends with a person's Stop, and with Airlock

	skill *skills.Launch // nil for a script
	left  []leftArtifact // only used by the session, and after it by After
	kept  int64          // bytes of those that are kept
}

// leftArtifact is something that a script left, unchecked.
type leftArtifact struct {
	guest.Artifact
	spool *files.Spool // nil if there is a problem or an error
	err   error        // why it could not be spooled
}

// Before checks that all files are still there and that the skill may still run.
func (h *filesHook) Before(ctx context.Context, b *Binding) error {
	if err := h.readSkill(ctx, b); err != nil {
		return err
	}
	for _, f := range b.source.Files {
		if !f.Kept {
			return app.E(app.CodeFileNotFound, fmt.Sprintf("the script was not run: the file %q is not kept any more", f.Name),
				"Send it again with POST /files, then submit again.")
		}
	}
	return nil
}

// readSkill reads the execution's skill, if any, and places the execution by it. It resolves the
// skill again, since a person may have revoked it after the submission.
func (h *filesHook) readSkill(ctx context.Context, b *Binding) error {
	if h.x.SkillDigest == "" {
		return nil
	}
	skills := h.runner.cfg.Skills
	launch, err := skills.Launch(ctx, h.x.ProfileHandle, h.x.SkillDigest, b.source.Inputs)
	if err != nil {
		return err
	}
	h.skill = &launch
	b.place, err = skills.Place(launch.Version, b.place)
	return err
}

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

// collect takes what the script leaves.
func (h *filesHook) collect(a guest.Artifact, content io.Reader) error {
	if content == nil {
		h.left = append(h.left, leftArtifact{Artifact: a})
		return nil
	}
	spool, err := h.spool(content)
	h.left = append(h.left, leftArtifact{a, spool, err})
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

// storeWithin bounds an execution's total wait for the storage to take its artifacts.
const storeWithin = 5 * time.Minute

// After masks or searches the script's files and keeps what may go out.
func (h *filesHook) After(e *ending) {
	if len(h.left) == 0 {
		return
	}
	c := artifactCheck{hook: h, red: h.redaction.redactor(), names: map[string]bool{}, patience: storeWithin}
	for _, a := range h.left {
		e.artifacts = append(e.artifacts, c.keep(h.checks, a))
		if a.spool != nil {
			a.spool.Close()
		}
	}
}
