package skills

import (
	"bytes"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appskills "github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// uploadSkill keeps the zip file of a form as a version that waits for review, as an agent's does.
func (h Handlers) uploadSkill(c echo.Context) error {
	v, err := h.keepUpload(c)
	if err == nil {
		return h.Done(c, "skill-uploaded", paths.SkillVersionURL(v.Name, v.Number))
	}
	known, ok := uix.AppError(err)
	if !ok {
		return err
	}
	found, err := uix.Problems(err, map[string]string{known.Field: "file"})
	if err != nil {
		return err
	}
	return h.listPage(c, http.StatusUnprocessableEntity, found)
}

func (h Handlers) keepUpload(c echo.Context) (v appskills.Version, err error) {
	if err := h.kept(); err != nil {
		return v, err
	}
	content, err := h.readUpload(c)
	if err != nil {
		return v, err
	}
	ctx := c.Request().Context()
	if err := h.memory.Acquire(ctx, 1); err != nil {
		return v, err
	}
	defer h.memory.Release(1)
	b, err := bundle.ReadZip(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return v, err
	}
	return h.Engine.Skills.Upload(ctx, uix.Actor(c), b)
}

// readUpload reads the zip file of a form, at most one byte more than a skill may have. Nothing
// limited its body before.
func (h Handlers) readUpload(c echo.Context) ([]byte, error) {
	early := app.Invalid("file", "the upload ended too early", "Send it again.")
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return nil, app.Invalid("file", "the form came without a file", "Choose a zip file.")
	}
	part, err := parts.NextPart()
	if err != nil {
		return nil, early
	}
	if part.FormName() != "file" || part.FileName() == "" {
		return nil, app.Invalid("file", "no file was chosen", "Choose a zip file.")
	}
	content, err := io.ReadAll(io.LimitReader(part, bundle.MaxPacked+1))
	if err != nil {
		return nil, early
	}
	return content, h.Check(c) // a slow upload must not act for a session that was ended meanwhile
}
