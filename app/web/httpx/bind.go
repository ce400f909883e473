package httpx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

// ReadJSON reads the body, one JSON object, into a struct (see BindJSON). An absent body is an
// error.
func ReadJSON(c echo.Context, out any) error {
	data, err := readBody(c.Request())
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return app.E(app.CodeInvalidJSON, "the body is empty",
			"Send one JSON object; GET /skill.md shows an example of every call.")
	}
	return decodeBody(data, out)
}

// ReadOptionalJSON is ReadJSON with an optional body: an absent one leaves out unchanged.
func ReadOptionalJSON(c echo.Context, out any) error {
	r := c.Request()
	if r.ContentLength == 0 && len(r.TransferEncoding) == 0 {
		return nil
	}
	data, err := readBody(r)
	if err != nil || len(bytes.TrimSpace(data)) == 0 {
		return err
	}
	return decodeBody(data, out)
}

func readBody(r *http.Request) ([]byte, error) {
	if err := checkContentType(r.Header.Get("Content-Type")); err != nil {
		return nil, err
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, app.E(app.CodeUnsupportedMedia, "a compressed body is not accepted",
			"Send the JSON as it is, without Content-Encoding.")
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, errBodyTooLarge(err)
		}
		return nil, brokenBody(app.CodeInvalidJSON, err)
	}
	return data, nil
}

// RefuseBody refuses requests that announce a body.
func RefuseBody(r *http.Request) error {
	if r.ContentLength == 0 {
		return nil
	}
	return app.E(app.CodeInvalidField, "this call takes no body", "Send it without one.")
}

// RawBody reads a non-JSON body of at most most bytes. More is *http.MaxBytesError; a broken-off
// body is CodeInvalidField.
func RawBody(c echo.Context, most int64) io.Reader {
	return rawBody{http.MaxBytesReader(c.Response(), c.Request().Body, most)}
}

type rawBody struct{ io.Reader }

func (b rawBody) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	var tooLarge *http.MaxBytesError
	if err == nil || errors.Is(err, io.EOF) || errors.As(err, &tooLarge) {
		return n, err
	}
	return n, brokenBody(app.CodeInvalidField, err)
}

// brokenBody explains why a body broke off.
func brokenBody(code app.Code, err error) error {
	if errors.Is(err, ErrBodies) {
		return err
	}
	e := app.E(code, "the body could not be read to its end", "Send it again, with a Content-Length that is true.")
	e.Cause = err
	return e
}

// checkContentType accepts JSON, none, and the form type, which is curl's default.
func checkContentType(value string) error {
	if value == "" {
		return nil
	}
	kind, params, err := mime.ParseMediaType(value)
	known := kind == "application/json" || kind == "application/x-www-form-urlencoded" ||
		strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
	charset := params["charset"]
	if err == nil && known && (charset == "" || strings.EqualFold(charset, "utf-8")) {
		return nil
	}
	return app.E(app.CodeUnsupportedMedia, "the body's content type is "+app.Clip(value, 60)+", not JSON",
		"Send JSON in UTF-8 with the header Content-Type: application/json.")
}

func decodeBody(data []byte, out any) error {
	if !utf8.Valid(data) {
		return app.E(app.CodeInvalidJSON, "the body is not valid UTF-8", "Encode the JSON in UTF-8.")
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	var whole json.RawMessage
	if err := json.Unmarshal(data, &whole); err != nil {
		return explainSyntax(data, err)
	}
	if bytes.TrimSpace(data)[0] != '{' {
		return app.E(app.CodeInvalidJSON, "the body is "+KindOf(whole)+", not a JSON object",
			"Send one JSON object, such as {\"description\": \"…\"}.")
	}
	return BindJSON(whole, out, "")
}

func explainSyntax(data []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return app.E(app.CodeInvalidJSON, "the body is not valid JSON", "Send one JSON object.")
	}
	before := data[:min(int(syntax.Offset), len(data))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return app.E(app.CodeInvalidJSON,
		fmt.Sprintf("the body is not valid JSON at line %d, column %d: %s", line, max(column, 1), syntax.Error()),
		"Send exactly one JSON object. Let a JSON library write it: line breaks inside strings must be \\n.")
}

// KindOf returns a JSON value's type with its article.
func KindOf(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
