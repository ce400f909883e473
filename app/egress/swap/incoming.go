package swap

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/computclaw/airlock/app"
)

// Withheld replaces a value in an answer that the execution was not given.
const Withheld = "[REDACTED]"

// MaskResponse replaces values in resp (status line, headers, trailers, body) by placeholders, in
// constant memory. known: the instance's values of the host, or nil. Those that the execution was
// not given become Withheld. After an error the response must not be passed on.
//
// The body is decompressed, so Content-Length and digests are dropped. Where no credential belongs,
// it looks only at what needs no decoding. Reading the body fails where it can't be searched.
func (s *Swapper) MaskResponse(t Target, resp *http.Response, known *Values) error {
	search := s.newSearch(t, known)
	if len(search) == 0 {
		return nil
	}
	decoding := known != nil || s.Belongs(t.Host, t.Port)
	if decoding {
		if err := checkReadable(resp); err != nil {
			return err
		}
	}
	encodings := contentCodings(resp.Header["Content-Encoding"])
	resp.Status = search.replaceText(resp.Status)
	search.replaceHeader(resp.Header)
	search.replaceHeader(resp.Trailer)
	if decoding && resp.Header.Get("Accept-Ranges") != "" {
		resp.Header.Set("Accept-Ranges", "none") // see AskReadable
	}
	if resp.Body == nil || resp.Body == http.NoBody {
		length, given := resp.ContentLength, resp.Header.Get("Content-Length")
		dropMeasures(resp)
		// a compressed length, also after HEAD, could reveal content
		if len(encodings) == 0 {
			resp.ContentLength = length
			if given != "" {
				resp.Header.Set("Content-Length", given)
			}
		}
		return nil
	}
	if len(encodings) > 0 {
		if !decoding {
			return nil
		}
		body, err := decode(encodings, resp.Body)
		if err != nil {
			return err
		}
		resp.Body = body
		resp.Header.Del("Content-Encoding")
		resp.Uncompressed = true
	}
	search.replaceBody(resp)
	return nil
}

// checkReadable refuses responses that could hide a value.
func checkReadable(resp *http.Response) error {
	switch {
	case resp.StatusCode == http.StatusSwitchingProtocols:
		return errors.New("swap: the host changed the protocol, which can't be read")
	case resp.StatusCode == http.StatusPartialContent,
		strings.HasPrefix(strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Type"))), "multipart/byteranges"):
		return errors.New("swap: the host answered with a range, in which a sealed value could be read in pieces")
	}
	for _, encoding := range contentCodings(resp.Header["Transfer-Encoding"]) {
		if encoding != "chunked" {
			return fmt.Errorf("swap: the host answered with the transfer encoding %q, which can't be read",
				app.Clip(encoding, 40))
		}
	}
	return nil
}

// dropMeasures drops fields counted or computed from the body as sent.
func dropMeasures(resp *http.Response) {
	for _, name := range []string{"Content-Length", "Content-Md5", "Digest", "Content-Digest", "Repr-Digest"} {
		resp.Header.Del(name)
	}
	resp.ContentLength = -1
}

func (v valueSearch) replaceBody(resp *http.Response) {
	dropMeasures(resp)
	var out []byte
	values := newReplacer(v, isEvents(resp.Header))
	replace := func(piece []byte, last bool) ([]byte, error) {
		if out = values.write(out[:0], piece); last {
			out = values.finish(out)
			v.replaceHeader(resp.Trailer)
		}
		return out, nil
	}
	resp.Body = &filter{body: resp.Body, Closer: resp.Body, step: replace}
}

// isEvents reports whether the body is a stream of events, ended by empty lines.
func isEvents(header http.Header) bool {
	media, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && media == "text/event-stream"
}

// newSearch prepares one response: the host's known values and the execution's other ones.
func (s *Swapper) newSearch(t Target, known *Values) (search valueSearch) {
	if known != nil && len(known.secrets) > 0 {
		search = append(search, shownValues{known.compile(), s.replacements(known, t)})
	}
	if len(s.values.secrets) > 0 && !s.values.isSubsetOf(known) {
		search = append(search, shownValues{s.values.compile(), s.replacements(s.values, t)})
	}
	return search
}

// replaceText replaces values in a text.
func (v valueSearch) replaceText(text string) string {
	r := newReplacer(v, false)
	return string(r.finish(r.write(nil, []byte(text))))
}

// replaceHeader replaces values in header values, in place, and drops headers with one in the name.
func (v valueSearch) replaceHeader(header http.Header) {
	for name, values := range header {
		if v.replaceText(name) != name {
			delete(header, name)
			continue
		}
		for j, value := range values {
			values[j] = v.replaceFolded(v.replaceText(value))
		}
	}
}

// replaceFolded replaces values split by a folded header line, where net/http read a space.
func (v valueSearch) replaceFolded(value string) string {
	const fold = "\r\n  " // with a space that may be one of the value
	if !strings.Contains(value, " ") {
		return value
	}
	folded := strings.ReplaceAll(value, " ", fold)
	if shown := v.replaceText(folded); shown != folded {
		return strings.ReplaceAll(shown, fold, " ")
	}
	return value
}
