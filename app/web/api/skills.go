package api

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/files"
	appskills "github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/app/web/httpx"
)

const (
	// SkillsPath takes zip files, bounded by its handler.
	SkillsPath = "/skills"

	zipType = "application/zip"

	skillUploadsPerMinute = 20 // by one address
)

// takeMemory waits for a profile's turn to hold skill files. The caller must call release.
func (h *Handlers) takeMemory(c echo.Context, p app.Profile) (release func(), err error) {
	return h.skillFiles.TakeWithin(c.Request().Context(), p.Handle, appskills.Patience)
}

// uploadSkill answers POST /skills with a zip file, or JSON that names a past execution.
func (h *Handlers) uploadSkill(c echo.Context, p app.Profile) error {
	err := h.skillUploads.Allow(c)
	if err != nil {
		return err
	}
	var packed []byte
	if IsZip(c.Request()) { // before holding anything: it may come slowly
		if packed, err = readPacked(c); err != nil {
			return err
		}
	}
	v, err := h.keepSkill(c, p, packed)
	if err != nil {
		return err
	}
	view, err := h.showDetails(c, p, []appskills.Version{v})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, view.Skills[0])
}

// keepSkill reads, scans and stores an agent's upload.
func (h *Handlers) keepSkill(c echo.Context, p app.Profile, packed []byte) (v appskills.Version, err error) {
	release, err := h.takeMemory(c, p)
	if err != nil {
		return v, err
	}
	defer release()
	b, err := h.readBundle(c, p, packed)
	if err != nil {
		return v, err
	}
	if v, err = h.Engine.Skills.Upload(c.Request().Context(), agent(c, p.Handle), b); err == nil {
		h.Engine.Skills.Scan(b)
	}
	return v, err
}

// IsZip reports whether a request sends a zip file.
func IsZip(r *http.Request) bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	return kind == zipType || kind == echo.MIMEOctetStream
}

// readBundle reads a zip file, or bundles a past execution without one.
func (h *Handlers) readBundle(c echo.Context, p app.Profile, packed []byte) (bundle.Bundle, error) {
	if packed == nil {
		return h.fromExecution(c, p)
	}
	return bundle.ReadZip(bytes.NewReader(packed), int64(len(packed)))
}

// readPacked reads a request's zip file.
func readPacked(c echo.Context) ([]byte, error) {
	if c.Request().Header.Get("Content-Encoding") != "" {
		return nil, app.E(app.CodeUnsupportedMedia, "a compressed body is not accepted",
			"Send the zip file as it is, without Content-Encoding.")
	}
	content, err := io.ReadAll(httpx.RawBody(c, bundle.MaxPacked))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, app.E(app.CodeTooLarge, "the zip file is larger than "+app.FormatSize(bundle.MaxPacked),
			"Leave out what the skill doesn't need to run, and pass data to each run with files.")
	}
	return content, err
}

// newSkillInput asks for a skill from a past execution's script.
type newSkillInput struct {
	ExecutionID string `in:"execution_id"`
	Name        string `in:"name"`
	Description string `in:"description"`
}

// fromExecution makes a bundle of a script that the same profile ran.
func (h *Handlers) fromExecution(c echo.Context, p app.Profile) (bundle.Bundle, error) {
	var in newSkillInput
	if err := httpx.ReadJSON(c, &in); err != nil {
		return bundle.Bundle{}, err
	}
	ctx := c.Request().Context()
	if !app.IsExecutionID(in.ExecutionID) {
		return bundle.Bundle{}, httpx.FieldError(app.CodeInvalidField, "execution_id", "execution_id is no execution's id",
			"Send the execution_id that POST /execute returned, or a zip file with Content-Type: application/zip.")
	}
	x, err := h.Engine.Reader.ByID(ctx, in.ExecutionID)
	if app.CodeOf(err) == app.CodeNotFound || err == nil && x.ProfileHandle != p.Handle {
		return bundle.Bundle{}, errNoExecution()
	}
	if err != nil {
		return bundle.Bundle{}, err
	}
	if x.Skill != "" {
		return bundle.Bundle{}, httpx.FieldError(app.CodeInvalidField, "execution_id",
			"that execution ran the skill "+x.Skill,
			"GET /skills/{name}/bundle.zip has its files. Change them, and send them as a zip file.")
	}
	shown, _, err := h.Engine.Reader.ReadSubmitted(ctx, x.Handle)
	if err != nil {
		return bundle.Bundle{}, err
	}
	source, err := h.Engine.Runner.ReadSource(ctx, x.Handle)
	if err != nil {
		return bundle.Bundle{}, err
	}
	if shown != string(source.Script) { // other profiles may read it
		return bundle.Bundle{}, httpx.FieldError(app.CodeInvalidField, "execution_id",
			"Airlock masked a secret in that script, so it can't become a skill",
			"Take the value out, read it with settings.get, run that, and send the new execution_id.")
	}
	return bundle.FromScript(in.Name, in.Description, shown)
}

// listSkills answers GET /skills. With ?include=schema it adds the details of GET /skills/{name}.
func (h *Handlers) listSkills(c echo.Context, p app.Profile) error {
	include := c.QueryParam("include")
	if include != "" && include != "schema" {
		return httpx.FieldError(app.CodeInvalidField, "include", "include knows schema, not "+app.Clip(include, 40),
			"Send ?include=schema.")
	}
	list, err := h.Engine.Skills.ListKnown(c.Request().Context(), p.Handle)
	if err != nil {
		return err
	}
	view, err := h.showSkills(c, p, list, include != "")
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, view)
}

// readSkill answers GET /skills/{name}.
func (h *Handlers) readSkill(c echo.Context, p app.Profile) error {
	list, err := h.Engine.Skills.ListNamed(c.Request().Context(), p.Handle, c.Param("name"))
	if err != nil {
		return err
	}
	view, err := h.showDetails(c, p, list)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, view)
}

// openSkill reads a version's files. The caller must call release.
func (h *Handlers) openSkill(c echo.Context, p app.Profile, v appskills.Version) (b *bundle.Bundle, release func(),
	err error) {
	if release, err = h.takeMemory(c, p); err != nil {
		return nil, nil, err
	}
	if b, err = h.Engine.Skills.Open(c.Request().Context(), v.Digest); err != nil {
		release()
		return nil, nil, err
	}
	return b, release, nil
}

// downloadSkill answers GET /skills/{name}/bundle.zip. The name may have a version.
func (h *Handlers) downloadSkill(c echo.Context, p app.Profile) error {
	v, err := h.Engine.Skills.Readable(c.Request().Context(), p.Handle, c.Param("name"))
	if err != nil {
		return err
	}
	packed, err := h.packSkill(c, p, v)
	if err != nil {
		return err
	}
	defer packed.Close()
	bundle := httpx.Download{Name: v.Name + ".zip", Type: zipType, Size: packed.Size()}
	return sendAttachment(c, bundle, func(w io.Writer) error {
		_, err := io.Copy(w, packed.Open())
		return err
	})
}

// packSkill makes a version's zip file on disk, so that slow readers hold no memory.
func (h *Handlers) packSkill(c echo.Context, p app.Profile, v appskills.Version) (*files.Spool, error) {
	b, release, err := h.openSkill(c, p, v)
	if err != nil {
		return nil, err
	}
	defer release()
	packed, err := h.Engine.Files.NewSpool()
	if err != nil {
		return nil, err
	}
	if err = b.WriteZip(packed); err == nil {
		err = packed.Finish()
	}
	if err != nil {
		packed.Close()
		return nil, err
	}
	return packed, nil
}
