package swap

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
)

func basic(text string) string { return "Basic " + base64.StdEncoding.EncodeToString([]byte(text)) }

func TestHeadersAreSwapped(t *testing.T) {
	for name, c := range map[string]struct{ header, sent, want string }{
		"bearer":         {"Authorization", "Bearer " + phB, "Bearer " + secretB},
		"alone":          {"X-Api-Key", phB, secretB},
		"in the middle":  {"X-Custom", "a" + phB + "b", "a" + secretB + "b"},
		"twice":          {"X-Custom", phB + phB, secretB + secretB},
		"two keys":       {"X-Custom", phA + ";" + phB, secretA + ";" + secretB},
		"cookie":         {"Cookie", "a=1; session=" + phB, "a=1; session=" + secretB},
		"basic password": {"Authorization", basic("user:" + phA), basic("user:" + secretA)},
		"basic user":     {"Authorization", basic(phB + ":x"), basic(secretB + ":x")},
		"basic both":     {"Authorization", basic(phB + ":" + phA), basic(secretB + ":" + secretA)},
		"basic, odd case": {"Authorization", "bAsic" + strings.TrimPrefix(basic("u:"+phB), "Basic"), "bAsic" +
			strings.TrimPrefix(basic("u:"+secretB), "Basic")},
		"basic, opaque": {"Authorization", "Basic " + phB, "Basic " + secretB},
		"quoted":        {"Authorization", `Digest password="` + phA + `"`, `Digest password="sk+live/51Hx\"Q\\zT=<9>&uV"`},
		"nothing":       {"X-Custom", "nothing here, airlock_sealed_ or so", "nothing here, airlock_sealed_ or so"},
	} {
		t.Run(name, func(t *testing.T) {
			req := request(t, "GET", "https://api.example.com/", "", c.header, c.sent)
			_, _, refusal := send(t, atHome(), home, req)
			if refusal != nil {
				t.Fatal(refusal)
			}
			if diff := cmp.Diff(c.want, req.Header.Get(c.header)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestKeysAreReported(t *testing.T) {
	req := request(t, "GET", "https://api.example.com/", "", "X-1", phB, "X-2", phA, "X-3", phB)
	keys, _, refusal := send(t, atHome(), home, req)
	if refusal != nil || !cmp.Equal(keys, []string{"A", "B"}) {
		t.Errorf("%v, %v", keys, refusal)
	}
	if keys, _, _ := send(t, atHome(), home, request(t, "GET", "https://api.example.com/", "")); len(keys) != 0 {
		t.Errorf("%v were used in nothing", keys)
	}
}

func TestAddressIsSwapped(t *testing.T) {
	req := request(t, "GET", "https://api.example.com/v1%2F/"+phA+"/x?k="+phA+"&l=%41+b", "")
	if _, _, refusal := send(t, atHome(), home, req); refusal != nil {
		t.Fatal(refusal)
	}
	escaped, _ := fitPercent(secretA, 0)
	want := "/v1%2F/" + escaped + "/x?k=" + escaped + "&l=%41+b"
	if got := req.URL.RequestURI(); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := req.URL.Query().Get("k"); got != secretA {
		t.Errorf("the host reads %q", got)
	}
	if segments := strings.Split(req.URL.EscapedPath(), "/"); len(segments) != 4 {
		t.Errorf("the path became %q", segments)
	}
}

// TestHoleHalfEscape: a host read a value's first digits as part of a script's escape. It showed a
// text that nobody recognised.
func TestHoleHalfEscape(t *testing.T) {
	form := "application/x-www-form-urlencoded"
	part := "--XX\r\nContent-Disposition: form-data; name=k\r\nContent-Type: application/json\r\n\r\n" +
		`{"a":"\u` + phA + "\"}\r\n--XX--\r\n"
	for name, req := range map[string]*http.Request{
		"JSON":                request(t, "POST", "https://x/", `{"a":"\u`+phA+`"}`, "Content-Type", "application/json"),
		"JSON, two digits":    request(t, "POST", "https://x/", `{"a":"\u00`+phA+`"}`, "Content-Type", "application/json"),
		"JSON, a number":      request(t, "POST", "https://x/", `{"a":"&#x`+phA+`"}`, "Content-Type", "application/json"),
		"JSON, a percent":     request(t, "POST", "https://x/", `{"a":"\u0025`+phA+`"}`, "Content-Type", "application/json"),
		"JSON in JSON":        request(t, "POST", "https://x/", `{"a":"{\"b\":\"\\u`+phA+`\"}"}`, "Content-Type", "application/json"),
		"XML":                 request(t, "POST", "https://x/", "<a>&#x"+phA+";</a>", "Content-Type", "application/xml"),
		"JSON in a form":      request(t, "POST", "https://x/", "a=%7B%22a%22%3A%22%5Cu"+phA+"%22%7D", "Content-Type", form),
		"JSON in a form, too": request(t, "POST", "https://x/", "a=%7B%22a%22%3A%22%5C%75"+phA+"%22%7D", "Content-Type", form),
		"form":                request(t, "POST", "https://x/", "a=%"+phA, "Content-Type", form),
		"form, twice":         request(t, "POST", "https://x/", "a=%25"+phA, "Content-Type", form),
		"text":                request(t, "POST", "https://x/", `{"a":"\u`+phA+`"}`, "Content-Type", "text/plain"),
		"text, a backslash":   request(t, "POST", "https://x/", `{"a":"\`+phA+`"}`, "Content-Type", "text/plain"),
		"no type":             request(t, "POST", "https://x/", `{"a":"\u`+phA+`"}`),
		"part":                request(t, "POST", "https://x/", part, "Content-Type", "multipart/form-data; boundary=XX"),
		"cookie":              request(t, "GET", "https://x/", "", "Cookie", "a=%"+phA),
		"cookie, octal":       request(t, "GET", "https://x/", "", "Cookie", `a="\`+phA+`"`),
		"header":              request(t, "GET", "https://x/", "", "X-Custom", `\u`+phA),
		"Basic":               request(t, "GET", "https://x/", "", "Authorization", basic("u:%"+phA)),
		"query":               request(t, "GET", "https://x/?a=%5Cu"+phA, ""),
		"query, twice":        request(t, "GET", "https://x/?a=%25"+phA, ""),
		"path":                request(t, "GET", "https://x/%25"+phA, ""),
	} {
		if _, body, refusal := send(t, atHome(), home, req); refusal == nil {
			t.Errorf("%s: sent as %s %v %q", name, req.URL, req.Header, body)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		target Target
		method string
		path   string
		header []string
		body   string
		rule   string
		says   []string
	}{
		"other host": {target: foreign, header: []string{"X", phA}, rule: RuleHost,
			says: []string{"A", "evil.example.net", "api.example.com"}},
		"other port": {target: Target{Host: "api.example.com", Port: 8443, TLS: true}, header: []string{"X", phA},
			rule: RuleHost},
		"other host, query":   {target: foreign, path: "?x=" + phA, rule: RuleHost},
		"other host, path":    {target: foreign, path: "/" + phA, rule: RuleHost},
		"other host, body":    {target: foreign, body: "x" + phA, rule: RuleHost},
		"other host, basic":   {target: foreign, header: []string{"Authorization", basic("u:" + phA)}, rule: RuleHost},
		"other host, name":    {target: foreign, header: []string{"X-" + phA, "x"}, rule: RuleHost},
		"other host, encoded": {target: foreign, header: []string{"X", hex.EncodeToString([]byte(phA))}, rule: RuleHost},
		"other host, method":  {target: foreign, method: phA, rule: RuleHost},
		"header name":         {header: []string{"X-" + phA, "x"}, rule: RulePlace},
		"method":              {method: phA, rule: RulePlace},
		"framing header":      {header: []string{"Content-Type", phA}, rule: RuleHeader},
		"plain http": {target: Target{Host: "api.example.com", Port: 80, TLS: false}, header: []string{"X", phA},
			rule: RulePlain, says: []string{"https"}},
		"query not ticked": {path: "?x=" + phB, rule: RulePlace, says: []string{"B", "query", "person"}},
		"path not ticked":  {path: "/" + phB, rule: RulePlace, says: []string{"path"}},
		"body not ticked":  {body: phB, rule: RulePlace, says: []string{"body"}},
		"stale":            {header: []string{"X", placeholderOf("old")}, rule: RuleUnknown, says: []string{"stale"}},
		"stale in body":    {body: placeholderOf("old"), rule: RuleUnknown},
		"capitals":         {header: []string{"X", strings.ToUpper(phA)}, rule: RuleEncoded, says: []string{"as it is"}},
		"one capital":      {header: []string{"X", "A" + phA[1:]}, rule: RuleEncoded},
		"hex":              {header: []string{"X", hex.EncodeToString([]byte(phA))}, rule: RuleEncoded},
		"percent":          {path: "?x=" + each(phA, "%%%02x"), rule: RuleEncoded},
		"percent, one":     {path: "?x=%61" + phA[1:], rule: RuleEncoded},
		"percent, twice":   {path: "/%2561" + phA[1:], rule: RuleEncoded},
		"cut percent":      {path: "?x=%4" + phA, rule: RuleValue},
		"\\u":              {body: `{"x":"\u0061` + phA[1:] + `"}`, rule: RuleEncoded},
		"\\u, last": {body: `{"x":"` + phA[:len(phA)-1] + each(phA[len(phA)-1:], `\u%04x`) + `"}`,
			rule: RuleEncoded},
		"base64": {header: []string{"Authorization", "Bearer " +
			base64.StdEncoding.EncodeToString([]byte(phA))}, rule: RuleEncoded},
		"base64 +1": {header: []string{"X", base64.StdEncoding.EncodeToString([]byte(":" + phA))},
			rule: RuleEncoded},
		"base64 +2": {header: []string{"X", base64.RawURLEncoding.EncodeToString([]byte("u:" + phA + "~~~"))},
			rule: RuleEncoded},
		"base64 in JSON": {body: `{"x":"` + base64.StdEncoding.EncodeToString([]byte("user:"+phA)) + `"}`,
			rule: RuleEncoded},
		"utf-16":                {body: utf16Bytes(`{"x":"`+phA+`"}`, false), rule: RuleEncoded},
		"utf-16, big end first": {body: utf16Bytes(phA, true), rule: RuleEncoded},
		"HTML":                  {body: each(phA, "&#%d;"), rule: RuleEncoded},
	} {
		t.Run(name, func(t *testing.T) {
			if c.target.Host == "" {
				c.target = home
			}
			if c.method == "" {
				c.method = "GET"
			}
			req := request(t, "GET", "https://"+c.target.Host+"/"+c.path, c.body, c.header...)
			req.Method = c.method
			_, sent, refusal := send(t, atHome(), c.target, req)
			if refusal == nil {
				t.Fatalf("was sent: %s%s", wire(t, req), sent)
			}
			if refusal.Rule != c.rule || refusal.Hint == "" {
				t.Errorf("refused by %q: %s; %s", refusal.Rule, refusal.Message, refusal.Hint)
			}
			text := refusal.Message + " " + refusal.Hint
			for _, want := range append(c.says, "") {
				if !strings.Contains(text, want) {
					t.Errorf("%q doesn't say %q", text, want)
				}
			}
			if strings.Contains(text, Prefix) || strings.Contains(text, secretA) || strings.Contains(text, secretB) {
				t.Errorf("%q says too much", text)
			}
		})
	}
}

func TestFragment(t *testing.T) {
	req := request(t, "GET", "https://api.example.com/#"+phA, "")
	if _, _, refusal := send(t, atHome(), home, req); refusal == nil || refusal.Rule != RulePlace {
		t.Errorf("a fragment: %v", refusal)
	}
}

func TestInertText(t *testing.T) {
	stale := placeholderOf("old")
	req := request(t, "POST", "https://evil.example.net/?x="+stale, "x"+stale, "X", stale)
	_, body, refusal := send(t, atHome(), foreign, req)
	if refusal != nil || body != "x"+stale || req.Header.Get("X") != stale || req.URL.RawQuery != "x="+stale {
		t.Errorf("%v, %q, %v", refusal, body, req)
	}
	for _, text := range []string{Prefix, Prefix + "short", Prefix + strings.Repeat("1", tailLength), phA[1:],
		phA[:len(phA)-1], phA[:len(phA)-1] + "_"} {
		req := request(t, "POST", "https://api.example.com/?x="+text, "x"+text, "X", text)
		if _, body, refusal := send(t, atHome(), home, req); refusal != nil || body != "x"+text {
			t.Errorf("%q: %v, %q", text, refusal, body)
		}
	}
}

// A truncated placeholder may take the next one's beginning; then it is foreign.
func TestOverlappingPlaceholders(t *testing.T) {
	for i := 1; i < len(Prefix); i++ {
		req := request(t, "GET", "https://api.example.com/", "", "X", phB[:len(phB)-i]+phB)
		_, _, refusal := send(t, atHome(), home, req)
		if joined := i <= len("airlock"); joined != (refusal != nil) || !joined &&
			req.Header.Get("X") != phB[:len(phB)-i]+secretB {
			t.Errorf("%d: %v, %q", i, refusal, req.Header)
		}
	}
}

func TestUnfitValues(t *testing.T) {
	for name, c := range map[string]struct {
		value, header, sent string
	}{
		"line break":      {"abcdefgh\r\nX-Evil: 12345678", "X", "%"},
		"lf":              {"abcdefghijklmnop\nq", "X", "%"},
		"nul":             {"abcdefghijklmnop\x00q", "X", "%"},
		"not ascii":       {"abcdefghijklmnopqrß", "X", "%"},
		"edge":            {"abcdefghijklmnopqr ", "X", "%"},
		"cookie":          {"abcdefghijklmnop;admin=1", "Cookie", "a=%"},
		"colon in a user": {"abcdefgh:ijklmnopqr", "Authorization", basic("%:x")},
		"basic":           {"abcdefgh\r\nijklmnopqr", "Authorization", basic("x:%")},
	} {
		t.Run(name, func(t *testing.T) {
			s := New([]secrets.Resolved{credential("V", c.value, home.Host)})
			sent := strings.ReplaceAll(c.sent, "%", placeholderOf("V"))
			if rest, ok := strings.CutPrefix(c.sent, "Basic "); ok {
				plain, _ := base64.StdEncoding.DecodeString(rest)
				sent = basic(strings.ReplaceAll(string(plain), "%", placeholderOf("V")))
			}
			req := request(t, "GET", "https://api.example.com/", "", c.header, sent)
			_, _, refusal := send(t, s, home, req)
			if refusal == nil || refusal.Rule != RuleValue || refusal.Key != "V" {
				t.Errorf("%+v: %v", refusal, req.Header)
			}
		})
	}
}

func TestPlainHTTP(t *testing.T) {
	c := credential("A", secretB, "api.example.com")
	c.PlainHTTP = true
	req := request(t, "GET", "http://api.example.com/", "", "X", phA)
	if _, _, refusal := send(t, New([]secrets.Resolved{c}), Target{Host: "api.example.com", Port: 80, TLS: false},
		req); refusal != nil || req.Header.Get("X") != secretB {
		t.Errorf("%v, %v", refusal, req.Header)
	}
}

// Two keys that share a placeholder have the rights of both.
func TestSharedPlaceholder(t *testing.T) {
	wide, narrow := credential("Z", secretB, "api.example.com", everywhere...), credential("A", secretB,
		"other.example.com")
	narrow.Placeholder = wide.Placeholder
	req := request(t, "GET", "https://api.example.com/?x="+wide.Placeholder, "")
	keys, _, refusal := send(t, New([]secrets.Resolved{narrow, wide}), home, req)
	if refusal != nil || !cmp.Equal(keys, []string{"Z"}) {
		t.Errorf("%v, %v", keys, refusal)
	}
}

func TestRestrictedToNothing(t *testing.T) {
	c := credential("A", secretB, "api.example.com")
	c.Hosts = nil
	s := New([]secrets.Resolved{c})
	if _, _, refusal := send(t, s, home, request(t, "GET", "https://api.example.com/", "", "X", phA)); refusal == nil ||
		refusal.Rule != RuleHost {
		t.Errorf("%+v", refusal)
	}
}

func TestAskReadable(t *testing.T) {
	header := http.Header{"Range": {"bytes=0-1"}, "If-Range": {`"x"`}, "A-Im": {"diffe"}, "Accept-Encoding": {"gzip, br"},
		"Accept": {"*/*"}}
	AskReadable(header)
	if diff := cmp.Diff(http.Header{"Accept-Encoding": {"identity"}, "Accept": {"*/*"}}, header); diff != "" {
		t.Error(diff)
	}
}

func TestUserInformation(t *testing.T) {
	req := request(t, "GET", "https://api.example.com/", "")
	req.URL.User = url.UserPassword("x", phA)
	if _, _, refusal := send(t, atHome(), home, req); refusal == nil {
		t.Error("was sent")
	}
}

func TestBelongs(t *testing.T) {
	s := New([]secrets.Resolved{credential("A", secretB, "*.example.com:8443")})
	for _, c := range []struct {
		host string
		port int
		want bool
	}{{"a.example.com", 8443, true}, {"example.com", 8443, false}, {"a.example.com", 443, false}, {"a.example.net", 8443,
		false}} {
		if s.Belongs(c.host, c.port) != c.want {
			t.Errorf("%+v", c)
		}
	}
}

func TestHeaderPlaceIsImplied(t *testing.T) {
	if c := credential("A", secretB, "x.example"); !allows(&c, where{place: app.PlaceHeader, header: "X"}) {
		t.Error("a header is not allowed")
	}
	for _, p := range []app.Place{app.PlacePath, app.PlaceQuery, app.PlaceBody, ""} {
		if c := credential("A", secretB, "x.example"); allows(&c, where{place: p}) {
			t.Errorf("%q is allowed", p)
		}
	}
}
