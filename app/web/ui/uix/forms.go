package uix

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
)

// Form reads the body's fields. It turns CR LF, as browsers send, into LF and changes nothing else.
func Form(c echo.Context) (url.Values, error) {
	err := c.Request().ParseForm()
	kind, _, _ := mime.ParseMediaType(c.Request().Header.Get("Content-Type"))
	if err == nil && kind == "multipart/form-data" {
		err = c.Request().ParseMultipartForm(app.MaxBody) // all of it fits, so no file is written
	}
	if err != nil {
		return nil, errUnreadable(err)
	}
	fields := c.Request().PostForm
	for name, values := range fields {
		for i, v := range values {
			fields[name][i] = strings.ReplaceAll(v, "\r\n", "\n")
		}
	}
	return fields, nil
}

// FormHandler answers a form with parsed fields.
type FormHandler func(c echo.Context, fields url.Values) error

// WithForm reads a form's fields for its handler.
func WithForm(handle FormHandler) echo.HandlerFunc {
	return func(c echo.Context) error {
		fields, err := Form(c)
		if err != nil {
			return err
		}
		return handle(c, fields)
	}
}

// Post is the route of a form.
func Post(path string, handle FormHandler) httpx.Route { return httpx.Post(path, WithForm(handle)) }

func errUnreadable(err error) error {
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) || errors.Is(err, httpx.ErrBodies) {
		return err
	}
	e := app.E(app.CodeInvalidField, "the form can't be read", "Go back, reload the page and send it again.")
	e.Cause = err
	return e
}

// SmallForm limits strangers' forms: thousands of fields take far more memory than bytes.
func SmallForm(next echo.HandlerFunc) echo.HandlerFunc {
	const limit = 16 << 10
	return func(c echo.Context) error {
		r := c.Request()
		r.Body = http.MaxBytesReader(c.Response(), r.Body, limit)
		return next(c)
	}
}

// UploadedFile returns a form's file; "" if none was chosen. A file over the limit is
// CodeInvalidField.
//
// Call Form first. It keeps files in memory: secrets must not reach a temporary directory.
func UploadedFile(c echo.Context, field string, limit int64) (string, error) {
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

// GivenValue returns a typed value, or a file's byte for byte. Some programs need a key's final
// line break. Both at once are CodeInvalidField.
//
// Call Form first.
func GivenValue(c echo.Context, fields url.Values, typed, file string) (app.Secret, error) {
	value := app.TypedValue(fields.Get(typed))
	uploaded, err := UploadedFile(c, file, app.MaxValue)
	switch {
	case err != nil || uploaded == "":
		return value, err
	case !value.Empty():
		return app.Secret{}, app.Invalid(file, "there is a typed value and a file", "Give only one of them.")
	}
	return app.NewSecret(uploaded), nil
}

// Problems places an error beside its field in fields, else on top. It returns errors that a person
// can't solve.
func Problems(err error, fields map[string]string) (components.Problems, error) {
	known, ok := AppError(err)
	if !ok {
		return nil, err
	}
	switch known.Code {
	case app.CodeInternal, app.CodeUnauthorized, app.CodeForbidden, app.CodeNotFound:
		return nil, err
	}
	return components.Problems{fields[known.Field]: Sentences(known)}, nil
}

// AppError finds the app.Error in an error.
func AppError(err error) (*app.Error, bool) {
	var e *app.Error
	ok := errors.As(err, &e)
	return e, ok
}

// Sentences turns an error into one or two sentences.
func Sentences(e *app.Error) string {
	return strings.TrimSpace(format.Sentence(e.Message) + " " + format.Sentence(e.Hint))
}

// CheckRepeated compares a password with its repetition in field. It returns nil if they match.
func CheckRepeated(password, repeated, field string) components.Problems {
	if password == repeated {
		return nil
	}
	return components.Problems{field: "This doesn't match the field above."}
}

// CheckTyped requires the requested name. It ignores case and repeated spaces, which phones change.
func CheckTyped(fields url.Values, name string) error {
	plain := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	if strings.EqualFold(plain(fields.Get("typed")), plain(name)) {
		return nil
	}
	return app.Invalid("typed", "that is not its name", "Type "+plain(name)+" if you mean it.")
}
