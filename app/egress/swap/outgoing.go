package swap

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
)

// FillRequest replaces placeholders in req and returns the sorted keys of inserted values. An error
// is a *Refusal: the request must not be sent. Bodies are read only as far as needed. Reading a
// body fails with a *Refusal at a forbidden placeholder, of which nothing is passed on.
//
// req must have no trailers. RequestURI stays as sent and is safe to record; URL may hold values.
func (s *Swapper) FillRequest(t Target, req *http.Request) (keys []string, err error) {
	if len(s.credentials) == 0 && !t.Searched {
		return nil, nil
	}
	o := &outgoing{swapper: s, target: t}
	if refusal := o.replaceAll(req); refusal != nil {
		return nil, refusal
	}
	slices.Sort(o.used)
	return o.used, nil
}

// AskReadable makes a request ask for a whole, unencoded answer that MaskResponse can search. A
// range or a difference could carry a value in pieces. It is for every request to a host of any
// credential of the execution, also a former one.
func AskReadable(header http.Header) {
	for _, name := range []string{"Range", "If-Range", "A-Im"} {
		header.Del(name)
	}
	header.Set("Accept-Encoding", "identity")
}

func (o *outgoing) replaceAll(req *http.Request) *Refusal {
	if refusal := o.refuseFixed(req); refusal != nil {
		return refusal
	}
	header, refusal := o.replaceHeader(req.Header)
	if refusal != nil {
		return refusal
	}
	address, refusal := o.replaceURL(req.URL)
	if refusal != nil {
		return refusal
	}
	if refusal := o.replaceBody(req, header); refusal != nil {
		return refusal
	}
	req.URL, req.Header = address, header
	return nil
}

func (o *outgoing) refuseFixed(req *http.Request) *Refusal {
	parts := []struct{ text, name string }{
		{req.Method, "the method"}, {req.Host, "the host name"}, {req.URL.Host, "the host name"},
		{req.URL.Opaque, "the address"},
		{req.URL.Fragment, "the fragment"}, {req.URL.RawFragment, "the fragment"}, {req.URL.Scheme, "the scheme"},
	}
	if req.URL.User != nil {
		return refuseBody(RuleBody, "the address holds user information", "Send the header Authorization: Basic instead.")
	}
	for _, part := range parts {
		if refusal := o.forbid(part.text, part.name); refusal != nil {
			return refusal
		}
	}
	return nil
}

func (o *outgoing) replaceHeader(header http.Header) (http.Header, *Refusal) {
	out := make(http.Header, len(header))
	for name, values := range header {
		if refusal := o.forbid(name, "the name of a header"); refusal != nil {
			return nil, refusal
		}
		at := where{app.PlaceHeader, "the header " + app.Clip(name, 60), http.CanonicalHeaderKey(name)}
		out[name] = make([]string, len(values))
		for i, value := range values {
			text, refusal := o.replaceHeaderValue(value, at)
			if refusal != nil {
				return nil, refusal
			}
			out[name][i] = text
		}
	}
	return out, nil
}

func (o *outgoing) replaceHeaderValue(value string, at where) (string, *Refusal) {
	switch at.header {
	case "Authorization":
		if user, scheme, ok := parseBasic(value); ok {
			swapped, refusal := o.replace(user, at, fitBasic(user))
			if refusal != nil || swapped == user {
				return value, refusal
			}
			return formatBasic(scheme, swapped), nil
		}
	case "Cookie":
		return o.replace(value, at, fitCookie(value))
	}
	return o.replace(value, at, fitHeader(value))
}

func (o *outgoing) replaceURL(u *url.URL) (*url.URL, *Refusal) {
	sent := u.EscapedPath()
	path, refusal := o.replace(sent, where{place: app.PlacePath, text: "the path"}, fitPercent)
	if refusal != nil {
		return nil, refusal
	}
	query, refusal := o.replace(u.RawQuery, where{place: app.PlaceQuery, text: "the query"}, fitPercent)
	if refusal != nil {
		return nil, refusal
	}
	out := *u
	out.RawQuery = query
	if path == sent {
		return &out, nil
	}
	plain, err := url.PathUnescape(path)
	if err != nil {
		return nil, refuseBody(RuleBody, "the path is not valid percent-encoding", "Percent-encode the path.")
	}
	out.Path, out.RawPath = plain, path
	return &out, nil
}

// fitPercent encodes all but unreserved characters.
func fitPercent(value string, _ int) (text, why string) {
	return strings.ReplaceAll(url.QueryEscape(value), "+", "%20"), ""
}
