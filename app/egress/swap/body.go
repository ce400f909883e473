package swap

import (
	"bytes"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
)

var bodyPlace = where{place: app.PlaceBody, text: "the body"}

// replaceBody replaces placeholders in a body, or has it watched while it is sent. header: the
// request's new one.
func (o *outgoing) replaceBody(req *http.Request, header http.Header) *Refusal {
	if req.Body == nil || req.Body == http.NoBody {
		return nil
	}
	if !o.swapper.swapsBody(o.target) || len(contentCodings(header["Content-Encoding"])) > 0 {
		o.watch(req, req.Body, req.Body)
		return nil
	}
	release, err := o.swapper.holds.take(req.Context())
	if err != nil {
		return refuseBody(RuleBody, "the execution ended before the body could be read", "Nothing to do.")
	}
	refusal := o.bufferBody(req, header, release)
	if refusal != nil {
		release()
	}
	return refusal
}

// bufferBody reads a body as far as values may be put in. It calls release once nothing is held,
// unless it refuses the body.
func (o *outgoing) bufferBody(req *http.Request, header http.Header, release func()) *Refusal {
	head, err := io.ReadAll(io.LimitReader(req.Body, app.MaxSwappedBody+1))
	if err != nil {
		return refuseBody(RuleBody, "the body of the request ended early", "Send the whole body.")
	}
	if len(head) > app.MaxSwappedBody {
		first := &releasing{bytes.NewReader(head), req.Body, release}
		o.watch(req, io.MultiReader(first, req.Body), first)
		return nil
	}
	swapped, refusal := o.replaceContent(string(head), header["Content-Type"])
	if refusal != nil {
		return refusal
	}
	if swapped != string(head) {
		for _, name := range []string{"Content-Md5", "Digest", "Content-Digest", "Repr-Digest"} {
			header.Del(name)
		}
	}
	reframe(req, header, swapped)
	if req.Body == http.NoBody {
		release()
		return nil
	}
	req.Body = &releasing{req.Body, req.Body, release}
	return nil
}

// reframe makes out the body.
func reframe(req *http.Request, header http.Header, out string) {
	req.GetBody = nil
	req.Body = struct {
		io.Reader
		io.Closer
	}{strings.NewReader(out), req.Body}
	req.ContentLength, req.TransferEncoding = int64(len(out)), nil
	if len(out) == 0 {
		req.Body = http.NoBody
	}
	if header.Get("Content-Length") != "" {
		header.Set("Content-Length", strconv.Itoa(len(out)))
	}
}

const mediaForm = "application/x-www-form-urlencoded"

// replaceContent replaces placeholders as a content type wants. It refuses several types or an
// unreadable one: the receiver may choose another.
func (o *outgoing) replaceContent(text string, contentTypes []string) (string, *Refusal) {
	if len(findHits([]byte(text))) == 0 {
		return text, nil
	}
	media, params, ok := readType(contentTypes)
	if !ok {
		return "", refuseBody(RuleBody, "the body holds a placeholder, but its Content-Type can be read in several ways",
			"Send one Content-Type with one type, such as application/json.")
	}
	if refusal := checkCharset(text, media, params["charset"]); refusal != nil {
		return "", refusal
	}
	if strings.HasPrefix(media, "multipart/") {
		return o.replaceMultipart(text, params["boundary"])
	}
	fit := fitText(text)
	switch {
	case isBinary(text, media):
		fit = fitBinary
	case media == mediaForm:
		fit = fitPercent
	case strings.Contains(media, "json"): // also in lines and sequences: application/x-ndjson, application/jsonl
		fit = fitJSON(text)
	case strings.HasSuffix(media, "/xml") || strings.HasSuffix(media, "+xml"):
		fit = fitXML(text)
	}
	return o.replace(text, bodyPlace, fit)
}

// fitText leaves a value as it is. Behind a backslash it may be read as an escape.
func fitText(text string) fit {
	return func(value string, at int) (string, string) {
		if strings.HasSuffix(text[:at], `\`) {
			return "", "it is behind a backslash"
		}
		return value, ""
	}
}

// readType reads the only content type; no type stands for mere bytes. ok is false for parameters
// in pieces or another charset (name*): few receivers read them.
func readType(contentTypes []string) (media string, params map[string]string, ok bool) {
	text := strings.TrimSpace(strings.Join(contentTypes, ","))
	if text == "" {
		return "", nil, true
	}
	media, params, err := mime.ParseMediaType(text)
	return media, params, err == nil && len(contentTypes) == 1 && !strings.Contains(text, "*")
}
