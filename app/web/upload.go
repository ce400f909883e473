package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

// uploaded reads a file of a form, as it is; "" if none was chosen. The form must have been read (see form), which keeps files in memory: a secret is not to be
// written to a temporary directory. A file over the limit is CodeInvalidField about the field.
func uploaded(c echo.Context, field string, limit int64) (string, error) {
	f, header, err := c.Request().FormFile(field)
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	if header.Size > limit {
		return "", app.Invalid(field, fmt.Sprintf("the file is longer than %d bytes", limit), "Choose another one.")
	}
	data, err := io.ReadAll(io.LimitReader(f, limit))
	return string(data), err
}
