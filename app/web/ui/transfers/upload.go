package transfers

import (
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/paths"
)

// maxFormField bounds a form field in an upload, in bytes.
const maxFormField = 8 << 10

// upload takes a file to preview. The passphrase precedes it, so that an upload without one leaves
// nothing. Only the disk limits the body: web.hasFile exempts this route from LimitBodies, and
// a person must have just confirmed who they are.
func (h Handlers) upload(c echo.Context) error {
	if err := httpx.KeepOpen(c.Response().Writer); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	kind, _, err := mime.ParseMediaType(c.Request().Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return app.E(app.CodeUnsupportedMedia, "the form came without a file", "Go back and choose the file.")
	}
	parts, err := c.Request().MultipartReader()
	if err != nil {
		return app.E(app.CodeInvalidField, "the upload can't be read", "Go back and send it again.")
	}
	passphrase := ""
	for {
		part, err := parts.NextPart()
		if err != nil {
			return h.movePage(c, http.StatusUnprocessableEntity, components.Problems{
				"import-file": "The upload ended too early. Send it again.",
			}, nil)
		}
		if part.FormName() == "passphrase" {
			text, err := io.ReadAll(io.LimitReader(part, maxFormField))
			if err != nil {
				return err
			}
			passphrase = string(text)
			continue
		}
		if part.FormName() != "file" || passphrase == "" {
			return h.movePage(c, http.StatusUnprocessableEntity, components.Problems{
				"import-passphrase": "Type the passphrase of the file.",
			}, nil)
		}
		return h.look(c, part, app.NewSecret(passphrase))
	}
}

// look stores the uploaded file and begins to read it.
func (h Handlers) look(c echo.Context, file io.Reader, passphrase app.Secret) error {
	path, size, err := h.Transfer.Receive(h.Reader(c, file))
	if err == nil {
		var id string
		if id, err = h.Transfer.StartPlan(uix.Actor(c), path, size, passphrase); err == nil {
			return c.Redirect(http.StatusSeeOther, paths.At(paths.TransferPath, id))
		}
	}
	found, err := uix.Problems(err, nil)
	if err != nil {
		return err
	}
	return h.movePage(c, http.StatusUnprocessableEntity, components.Problems{"import-file": found.Of("")}, nil)
}
