package skills

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appskills "github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/paths"
)

// uploadSkill stores a form's zip file or folder as a version for review.
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
	files, err := readUpload(c)
	if err != nil {
		return v, err
	}
	if err := h.Check(c); err != nil { // a slow upload must not outlive its session
		return v, err
	}
	give, err := h.takeMemory(c)
	if err != nil {
		return v, err
	}
	defer give()
	b, err := bundle.ReadUpload(files)
	if err != nil {
		return v, err
	}
	return h.Engine.Skills.Upload(c.Request().Context(), uix.Actor(c), b)
}

// maxPartHeaders bounds all file names of a form.
const maxPartHeaders = 1 << 20

// readUpload reads a form's files, together at most bundle.MaxPacked. It is the body's first limit.
func readUpload(c echo.Context) (files []bundle.File, err error) {
	c.Request().Body = http.MaxBytesReader(c.Response(), c.Request().Body, bundle.MaxPacked+maxPartHeaders)
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return nil, app.Invalid("file", "the form came without a file", "Choose a zip file or a folder.")
	}
	left := int64(bundle.MaxPacked)
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		var content []byte
		if err == nil {
			content, err = io.ReadAll(io.LimitReader(part, left+1))
		}
		left -= int64(len(content))
		switch tooLarge := (*http.MaxBytesError)(nil); {
		case left < 0 || errors.As(err, &tooLarge):
			return nil, app.Invalid("file", "the upload has more than "+app.FormatSize(bundle.MaxPacked),
				"Leave out what the skill doesn't need to run, folders such as .git too.")
		case err != nil:
			return nil, app.Invalid("file", "the upload ended too early", "Send it again.")
		}
		if name := fileName(part); part.FormName() == "file" && name != "" {
			files = append(files, bundle.File{Path: name, Content: content})
		}
	}
	if len(files) == 0 {
		return nil, app.Invalid("file", "no file was chosen", "Choose a zip file or a folder.")
	}
	return files, nil
}

// fileName returns a part's name with the folders that part.FileName removes.
func fileName(part *multipart.Part) string {
	_, fields, err := mime.ParseMediaType(part.Header.Get(echo.HeaderContentDisposition))
	if err != nil {
		return ""
	}
	return fields["filename"]
}
