package executions

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
)

// rerunForm holds a re-run's fields. Files are stored, by name.
type rerunForm struct {
	fields url.Values
	files  map[string]string
}

// readRerun reads the form, whose fields precede its files. It never holds a whole file in memory.
func (h Handlers) readRerun(c echo.Context, profileHandle string) (form rerunForm, err error) {
	kind, _, _ := mime.ParseMediaType(c.Request().Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		form.fields, err = uix.Form(c)
		return form, err
	}
	if err := httpx.KeepOpen(c.Response().Writer); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return form, err
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return form, app.Invalid("", "the form can't be read", "Go back and send it again.")
	}
	form.fields, form.files = url.Values{}, map[string]string{}
	left := int64(app.MaxBody)
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err != nil {
			return form, app.Invalid("files", "the upload ended too early", "Choose the files again.")
		}
		if part.FormName() == "files" {
			if err := h.takeFile(c, profileHandle, part.FileName(), h.Reader(c, part), form.files); err != nil {
				return form, err
			}
			continue
		}
		text, err := io.ReadAll(io.LimitReader(part, left+1))
		if left -= int64(len(text)); err == nil && left < 0 {
			err = app.E(app.CodeTooLarge, "the form is larger than "+app.FormatSize(app.MaxBody), "Send less.")
		}
		if err != nil {
			return form, err
		}
		form.fields.Add(part.FormName(), string(text))
	}
}

// takeFile stores one file of a form. Without a choice, browsers send a nameless one.
func (h Handlers) takeFile(c echo.Context, profileHandle, name string, content io.Reader,
	files map[string]string) error {
	if name == "" {
		return nil
	}
	if len(files) == app.MaxFiles {
		return app.Invalid("files", fmt.Sprintf("a script gets at most %d files", app.MaxFiles), "Choose fewer.")
	}
	file, err := h.Engine.Files.Upload(c.Request().Context(), profileHandle, name, content)
	if refused := (*app.Error)(nil); errors.As(err, &refused) && refused.Field == "name" {
		refused.Field = "files"
	}
	if err == nil {
		files[name] = file.ID
	}
	return err
}
