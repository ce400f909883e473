package executions

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // formats that image.DecodeConfig knows
	_ "image/jpeg" //
	_ "image/png"  //
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"
	_ "golang.org/x/image/webp" // as above

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/paths"
)

// Bounds of a preview.
const (
	previewBytes  = 64 << 10
	previewRows   = 100      // of CSV, with the head
	maxImageBytes = 8 << 20  // of a shown image file
	maxPixels     = 25 << 20 // of an image: browsers hold four bytes each
)

// preview shows an artifact's beginning. It returns nil if the artifact is not kept.
func (h Handlers) preview(ctx context.Context, handle, name string) (*executionview.Preview, error) {
	a, content, err := h.Engine.Reader.OpenArtifact(ctx, handle, name)
	if app.CodeOf(err) == app.CodeNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer content.Close()
	head, err := io.ReadAll(io.LimitReader(content, previewBytes))
	if err != nil {
		return nil, err
	}
	p := &executionview.Preview{Name: a.Name, Type: a.Type}
	whole := int64(len(head)) == a.Size
	kind, why := imageKind(a, head)
	text, isText := textOf(head, whole)
	switch {
	case kind != "":
		p.Image = paths.ArtifactImageURL(handle, a.Name)
	case why != "":
		p.Note = why
	case a.Size == 0:
		p.Note = "The file is empty."
	case !isText:
		p.Note = "There is no preview of this kind of file. Download it."
	default:
		if a.Type == "text/csv" {
			p.Table = tableOf(text, whole)
		}
		if p.Table == nil {
			p.Text = text
		}
		if !whole || len(p.Table) == previewRows {
			p.Note = "This is the beginning. Download the file to see all of it."
		}
	}
	return p, nil
}

// tableOf reads rows of CSV with commas, semicolons or tabs; nil if it is malformed. It drops a
// cut-off row.
func tableOf(text string, whole bool) (rows [][]string) {
	if !whole {
		text = text[:strings.LastIndexByte(text, '\n')+1]
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	first, _, _ := strings.Cut(text, "\n")
	for _, comma := range ";\t" {
		if strings.ContainsRune(first, comma) && !strings.Contains(first, ",") {
			r.Comma = comma
		}
	}
	for len(rows) < previewRows {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil
		}
		rows = append(rows, row)
	}
	return rows
}

// imageKind returns the media type of a showable image by its header, or "". why explains an
// unshowable image.
func imageKind(a app.Artifact, head []byte) (kind, why string) {
	detected := http.DetectContentType(head)
	if !slices.Contains([]string{"image/png", "image/jpeg", "image/gif", "image/webp"}, detected) {
		return "", ""
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(head))
	switch {
	case err != nil || "image/"+format != detected:
		return "", "The image is damaged, so it is not shown. Download it."
	case a.Size > maxImageBytes, int64(config.Width)*int64(config.Height) > maxPixels:
		return "", fmt.Sprintf("The image is too large to be shown (%d × %d). Download it.", config.Width, config.Height)
	}
	return detected, ""
}

// textOf decodes a content's beginning as text. It drops a cut-off character. ok is false if it is
// no text.
func textOf(head []byte, whole bool) (text string, ok bool) {
	for cut := 0; !whole && cut < utf8.UTFMax && len(head) > 0 && !utf8.Valid(head); cut++ {
		head = head[:len(head)-1]
	}
	return string(head), utf8.Valid(head) && !bytes.ContainsRune(head, 0)
}

// showImage serves an image artifact by its header's type. Its policy forbids scripts and gives it
// no origin.
func (h Handlers) showImage(c echo.Context) error {
	ctx, handle, name := c.Request().Context(), c.Param("handle"), c.QueryParam("name")
	a, content, err := h.Engine.Reader.OpenArtifact(ctx, handle, name)
	if err != nil {
		return err
	}
	defer content.Close()
	whole := bufio.NewReaderSize(content, previewBytes)
	head, _ := whole.Peek(previewBytes) // shorter content is an error
	kind, _ := imageKind(a, head)
	if kind == "" {
		return app.E(app.CodeNotFound, "there is no such image", "Go back to the execution's page.")
	}
	c.Response().Header().Set(echo.HeaderContentSecurityPolicy, httpx.SandboxPolicy)
	image := httpx.Download{Name: a.Name, Type: kind, Size: a.Size, Inline: true}
	return httpx.SendDownload(c, image, func(w io.Writer) error {
		_, err := io.Copy(w, whole)
		return err
	})
}
