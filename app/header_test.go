package app

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Well-known services work without named headers.
func TestUsualHeaders(t *testing.T) {
	usual := SealedHeaders(nil)
	for i, name := range usual {
		if name != http.CanonicalHeaderKey(name) || slices.Contains(usual[:i], name) || CheckHeader("headers", name) != nil {
			t.Errorf("%s is not canonical, there twice or not one that a credential may name", name)
		}
	}
	for _, name := range []string{
		"Authorization", "x-api-key", "X-API-KEY", "api-key", "apikey", "PRIVATE-TOKEN", "JOB-TOKEN", "X-Vault-Token",
		"DD-API-KEY", "DD-APPLICATION-KEY",
		"X-CMC_PRO_API_KEY", "X-MBX-APIKEY", "CB-ACCESS-KEY", "xi-api-key", "X-TYPESENSE-API-KEY", "X-RapidAPI-Key",
		"Ocp-Apim-Subscription-Key",
	} {
		if !slices.Contains(usual, http.CanonicalHeaderKey(name)) {
			t.Errorf("%s is not among the usual headers", name)
		}
	}
	if slices.Contains(usual, "Cookie") {
		t.Error("cookies need no word of a person")
	}
	if usual[0] = "Changed"; SealedHeaders(nil)[0] != "Authorization" {
		t.Error("a caller can change the list")
	}
	if got := SealedHeaders([]string{"Cookie"}); !slices.Equal(got, []string{"Cookie"}) {
		t.Errorf("named headers do not replace the usual ones: %v", got)
	}
}

// Hand-typed: headers that an attacker may write or talk a person into.
func TestHoleM2LoggedAndRoutingHeadersCannotBeNamed(t *testing.T) {
	for _, name := range []string{
		"User-Agent", "Referer", "Origin", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "x-forwarded-anything",
		"X-Real-IP", "Via",
		"X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override", "From", "X-Request-Id", "X-Correlation-Id",
		"Traceparent", "tracestate",
		"baggage", "sentry-trace", "If-None-Match", "If-Modified-Since", "If-Range", "ETag", "Accept", "Accept-Language",
		"Content-Type",
		"Content-Disposition", "Content-Foo", "Date", "Cache-Control", "Range", "Host", "Connection", "TE", "Trailer",
		"Transfer-Encoding",
		"X-Correlationid", "X-Requestid", "User-Agent.", "User.agent", "user__agent", "X-Forwarded.For", "XForwardedFor",
		"X-Forward-For", "X-Override-Url",
		"X-Path", "Fly-Client-Ip", "Correlation-Context", "Cookie2", "X-RealIP", "Upgrade", "Proxy-Authorization",
		"Proxy-Connection", "X_Forwarded_For", "x_original_url", "USER_AGENT", "Set-Cookie", "Sec-Fetch-Site",
	} {
		if _, err := CanonicalHeaders([]string{"X-Api-Key", name}); CodeOf(err) != CodeInvalidField ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, unfit := range unfitHeaders {
		if unfit != http.CanonicalHeaderKey(unfit) || !UnfitHeader(strings.ToUpper(unfit)) {
			t.Errorf("%s is not canonical and can't be found", unfit)
		}
	}
}

// Longer names that begin like an unfit one may be fit.
func TestFitHeaders(t *testing.T) {
	for _, name := range []string{"Secret-Key", "Ifttt-Token", "X-Realm-Token", "X-Httpbin-Key", "X-Pathfinder-Key",
		"Server-Key", "Cookie", "Origin-Key", "Wanted-Token"} {
		if err := CheckHeader("headers", name); err != nil {
			t.Error(err)
		}
	}
}

// A name stored before it became unfit can be restored.
func TestStoredHeaders(t *testing.T) {
	for _, names := range [][]string{nil, {"Authorization"}, {"User-Agent", "X-Api-Key"}} {
		if !StoredHeaders(names) {
			t.Errorf("%q could not have been stored", names)
		}
	}
	for _, names := range [][]string{{"x-api-key"}, {"X-Api-Key", "Authorization"}, {"Cookie", "Cookie"}, {"X Foo"},
		{"X-Foo\r\nA: b"}, {""}, make([]string, MaxHeaders+1)} {
		if StoredHeaders(names) {
			t.Errorf("%q could have been stored", names)
		}
	}
}

func TestCanonicalHeaders(t *testing.T) {
	got, err := CanonicalHeaders([]string{"x-foo", "cookie", "X-FOO", "AUTHORIZATION", "X_Custom"})
	if diff := cmp.Diff([]string{"Authorization", "Cookie", "X-Foo", "X_custom"}, got); diff != "" || err != nil {
		t.Errorf("%s %v", diff, err)
	}
	if none, err := CanonicalHeaders(nil); none == nil || len(none) != 0 || err != nil {
		t.Errorf("%#v %v", none, err)
	}
	var many []string
	for i := range MaxHeaders + 1 {
		many = append(many, "X-"+strings.Repeat("a", i+1))
	}
	for _, names := range [][]string{{""}, {"X Foo"}, {"X-Foo:"}, {"X-Foo\r\nX-Bar"}, {"Üx"}, {strings.Repeat("x", 101)},
		many} {
		if _, err := CanonicalHeaders(names); CodeOf(err) != CodeInvalidField {
			t.Errorf("%q: %v", names, err)
		}
	}
}
