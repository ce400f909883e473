package swap

import (
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
)

// Hand-typed: a value in a logged or routing header came back from an access log, past an unticked
// query.
func TestHoleM2SealedValueInLoggedHeader(t *testing.T) {
	usual := credential("B", secretB, home.Host)
	usual.Headers = app.SealedHeaders(nil)
	careless := usual // as if a file or an older program had named them
	careless.Headers = []string{"Authorization", "Referer", "User-Agent", "X-Forwarded-For", "X-Original-Url"}
	for name, c := range map[string]struct {
		credential secrets.Resolved
		header     string
		sent       string
		person     bool // a person can help
	}{
		"user agent":           {usual, "User-Agent", phB, false},
		"user agent, between":  {usual, "User-Agent", "python-httpx/0.27 (" + phB + ")", false},
		"referer":              {usual, "Referer", "https://api.example.com/?" + phB, false},
		"forwarded for":        {usual, "X-Forwarded-For", phB, false},
		"original url":         {usual, "X-Original-URL", "/search?api_key=" + phB, false},
		"rewrite url":          {usual, "X-Rewrite-URL", "/" + phB, false},
		"request id":           {usual, "X-Request-Id", phB, false},
		"accept":               {usual, "Accept", phB, false},
		"etag":                 {usual, "If-None-Match", `"` + phB + `"`, false},
		"encoded":              {usual, "User-Agent", basic("u:" + phB), false},
		"an underscore":        {usual, "X_Forwarded_For", phB, false},
		"proxy":                {usual, "Proxy-Authorization", basic("u:" + phB), false},
		"careless, user agent": {careless, "User-Agent", phB, false},
		"careless, referer":    {careless, "Referer", phB, false},
		"careless, url":        {careless, "X-Original-Url", "/?k=" + phB, false},
		"unknown":              {usual, "X-My-Own", phB, true},
		"unknown, underscore":  {usual, "X_Api_Key", phB, true},
		"cookie":               {usual, "Cookie", "session=" + phB, true},
		"usual, not named":     {careless, "X-Api-Key", phB, true},
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t, "GET", "https://api.example.com/", "", c.header, c.sent)
			keys, _, refusal := send(t, New([]secrets.Resolved{c.credential}), home, req)
			if refusal == nil || refusal.Key != "B" || refusal.Rule != RuleHeader || len(keys) > 0 {
				t.Fatalf("%v %+v", keys, refusal)
			}
			if !strings.Contains(strings.ToLower(refusal.Message), strings.ToLower(c.header)) ||
				!strings.Contains(refusal.Hint, "Authorization") {
				t.Errorf("%+v does not say which header, or which would do", refusal)
			}
			if strings.Contains(refusal.Hint, "person") != c.person {
				t.Errorf("the hint is %q", refusal.Hint)
			}
			if strings.Contains(wire(t, req), secretB) {
				t.Error("the value is in the request")
			}
		})
	}
}

// Values stand in the headers that a credential names, however spelled.
func TestNamedHeaders(t *testing.T) {
	c := credential("B", secretB, home.Host)
	c.Headers = []string{"Cookie", "X-My-Own"}
	for _, sent := range [][2]string{{"x-my-own", phB}, {"X-MY-OWN", "Key " + phB},
		{"Cookie", "a=1; session=" + phB + "; b=2"}} {
		req := request(t, "GET", "https://api.example.com/", "", sent[0], sent[1])
		if _, _, refusal := send(t, New([]secrets.Resolved{c}), home, req); refusal != nil ||
			!strings.Contains(req.Header.Get(sent[0]), secretB) {
			t.Errorf("%s: %v %v", sent, refusal, req.Header)
		}
	}
	c.Headers = nil
	if _, _, refusal := send(t, New([]secrets.Resolved{c}), home,
		request(t, "GET", "https://api.example.com/", "", "Authorization", phB)); refusal == nil ||
		refusal.Rule != RuleHeader {
		t.Errorf("without headers: %+v", refusal)
	}
}

// Names of cookies, fields and files are logged and stored where values are not.
func TestHoleM2SealedValueAsAName(t *testing.T) {
	for _, cookies := range []string{phB, phB + "=1", "a=1; " + phB, "a=1;" + phB + "=2", "a=1; x" + phB + "y=2"} {
		_, _, refusal := send(t, atHome(), home, request(t, "GET", "https://api.example.com/", "", "Cookie", cookies))
		if refusal == nil || refusal.Rule != RuleValue || !strings.Contains(refusal.Message, "name of a cookie") {
			t.Errorf("%q: %+v", cookies, refusal)
		}
	}
	for _, head := range []string{`Content-Disposition: form-data; name="%"`,
		`Content-Disposition: form-data; name="f"; filename="%.txt"`, "X-Original-URL: /%", "X-Api-Key: %"} {
		body := "--XX\r\n" + strings.ReplaceAll(head, "%", phA) + "\r\n\r\nx\r\n--XX--\r\n"
		_, _, refusal := send(t, atHome(), home, request(t, "POST", "https://api.example.com/", body, "Content-Type",
			"multipart/form-data; boundary=XX"))
		if refusal == nil || refusal.Rule != RulePlace || !strings.Contains(refusal.Message, "header of a part") {
			t.Errorf("%q: %+v", head, refusal)
		}
	}
}

// Keys that share a placeholder have the headers of both.
func TestSharedPlaceholderHasTheHeadersOfBoth(t *testing.T) {
	a, b := credential("A", secretB, home.Host), credential("B", secretB, home.Host)
	a.Headers, b.Headers, b.Placeholder = []string{"X-A"}, []string{"X-B"}, a.Placeholder
	for header, key := range map[string]string{"X-A": "A", "X-B": "B"} {
		keys, _, refusal := send(t, New([]secrets.Resolved{a, b}), home,
			request(t, "GET", "https://api.example.com/", "", header, a.Placeholder))
		if refusal != nil || !slices.Equal(keys, []string{key}) {
			t.Errorf("%s: %v %v", header, keys, refusal)
		}
	}
}
