package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
)

// uploadsAtOnce bounds concurrent uploads; one profile gets half of them. Each may take
// app.MaxFileBytes on disk before its quota is checked.
const uploadsAtOnce = 16

type fileView struct {
	FileID    string    `json:"file_id"`
	Name      string    `json:"name"`
	Size      int64     `json:"size" about:"bytes"`
	SHA256    string    `json:"sha256"`
	CreatedAt time.Time `json:"created_at"`
	ExpiresAt time.Time `json:"expires_at"`
}

type filesView struct {
	Files []fileView `json:"files"`
}

func viewFile(f app.File) fileView {
	return fileView{f.ID, f.Name, f.Size, f.SHA256, f.CreatedAt.UTC(), f.ExpiresAt.UTC()}
}

// UploadPath takes bodies as large as a file. Its handler bounds them.
const UploadPath = "/files"

// uploadFile answers POST /files?name= with a raw body.
func (h *Handlers) uploadFile(c echo.Context, p app.Profile) error {
	if c.Request().Header.Get("Content-Encoding") != "" {
		return app.E(app.CodeUnsupportedMedia, "a compressed body is not accepted",
			"Send the file as it is, without Content-Encoding.")
	}
	if c.Request().ContentLength > app.MaxFileBytes {
		return app.E(app.CodeTooLarge, "the file is larger than "+app.FormatSize(app.MaxFileBytes),
			"Send it compressed or in parts, or have the script read it from an allowed host.")
	}
	if !h.fileUploads.Enter(p.Handle) {
		return app.E(app.CodeRateLimited, "too many files are being sent at once", "Wait 5 s, then send it again.")
	}
	defer h.fileUploads.Leave(p.Handle)
	body := httpx.RawBody(c, app.MaxFileBytes+1)
	f, err := h.Engine.Files.Upload(c.Request().Context(), p.Handle, c.QueryParam("name"), body)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, viewFile(f))
}

// listFiles answers GET /files.
func (h *Handlers) listFiles(c echo.Context, p app.Profile) error {
	list, err := h.Engine.Files.List(c.Request().Context(), p.Handle)
	if err != nil {
		return err
	}
	view := filesView{[]fileView{}}
	for _, f := range list {
		view.Files = append(view.Files, viewFile(f))
	}
	return c.JSON(http.StatusOK, view)
}

// deleteFile answers DELETE /files/{id}.
func (h *Handlers) deleteFile(c echo.Context, p app.Profile) error {
	if err := h.Engine.Files.Delete(c.Request().Context(), p.Handle, c.Param("id")); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
