package app

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// usualHeaders are the usual credential headers, in canonical spelling. Cookie is left out: a
// credential has to name it. Messages show the first ones.
var usualHeaders = []string{
	"Authorization", "X-Api-Key", "Access-Token", "Accesskey", "Apca-Api-Key-Id", "Apca-Api-Secret-Key",
	"Api-Key", "Api-Token", "Apikey", "Auth-Token", "Cb-Access-Key", "Cb-Access-Passphrase",
	"Cf-Access-Client-Id", "Cf-Access-Client-Secret", "Circle-Token", "Client-Secret", "Dd-Api-Key",
	"Dd-Application-Key", "Deploy-Token", "Fastly-Key", "Hibp-Api-Key", "Job-Token",
	"Ocp-Apim-Subscription-Key", "Private-Token", "Token", "X-Access-Key", "X-Access-Token",
	"X-Algolia-Api-Key", "X-Amz-Access-Token", "X-Amz-Security-Token", "X-Api-Secret", "X-Api-Token",
	"X-Apikey", "X-Apikeys", "X-Apisports-Key", "X-App-Key", "X-App-Token", "X-Appwrite-Key", "X-Auth",
	"X-Auth-Email", "X-Auth-Key", "X-Auth-Token", "X-Auth-User-Service-Key", "X-Authorization", "X-Cc-Api-Key",
	"X-Cg-Demo-Api-Key", "X-Cg-Pro-Api-Key", "X-Cisco-Meraki-Api-Key", "X-Client-Secret", "X-Cmc_pro_api_key",
	"X-Consul-Token", "X-Ebay-Api-Iaf-Token", "X-Emby-Token", "X-Figma-Token", "X-Finnhub-Token",
	"X-Functions-Key", "X-Github-Token", "X-Gitlab-Token", "X-Goog-Api-Key", "X-Gotify-Key",
	"X-Hasura-Admin-Secret", "X-Honeycomb-Team", "X-Ibm-Client-Secret", "X-Insert-Key", "X-Jfrog-Art-Api",
	"X-Key", "X-License-Key", "X-Master-Key", "X-Mbx-Apikey", "X-Meili-Api-Key", "X-N8n-Api-Key",
	"X-Nomad-Token", "X-Nsone-Key", "X-Nuget-Apikey", "X-Octopus-Apikey", "X-Otx-Api-Key", "X-Pan-Key",
	"X-Parse-Master-Key", "X-Parse-Rest-Api-Key", "X-Plex-Token", "X-Postmark-Account-Token",
	"X-Postmark-Server-Token", "X-Query-Key", "X-Rapidapi-Key", "X-Redmine-Api-Key", "X-Riot-Token",
	"X-Rundeck-Auth-Token", "X-Secret-Key", "X-Sentry-Auth", "X-Server-Api-Key", "X-Session-Token",
	"X-Shopify-Access-Token", "X-Shopify-Storefront-Access-Token", "X-Smtp2go-Api-Key", "X-Storageapi-Token",
	"X-Subscription-Token", "X-Tableau-Auth", "X-Token", "X-Typesense-Api-Key", "X-Vault-Token",
	"X-Viber-Auth-Token", "X-Yandex-Api-Key", "Xc-Token", "Xi-Api-Key",
}

// unfitHeaders frame or route a message, or are logged and passed on by servers. Only letters and
// digits of a name count. A final dash matches longer names. A credential that already names one
// keeps it, without effect; its next change of headers is refused.
var unfitHeaders = []string{
	"A-Im", "Accept", "Accept-", "Access-Control-", "Age", "Allow", "Alt-Used", "B3", "Baggage",
	"Cache-Control", "Cdn-Loop", "Cf-Connecting-Ip", "Cf-Connecting-Ipv6", "Cf-Ipcountry", "Cf-Ray",
	"Cf-Visitor", "Client-Ip", "Connection", "Content-", "Cookie2", "Correlation-Context",
	"Correlation-Id", "Date", "Destination", "Digest", "Dnt", "Do-Connecting-Ip", "Etag", "Expect",
	"Expires", "Fastly-Client-Ip", "Fly-Client-Ip", "Fly-Request-Id", "Forwarded", "From",
	"Front-End-Https", "Host", "Http2-Settings", "Idempotency-Key", "If-", "Keep-Alive", "Last-Event-Id",
	"Last-Modified", "Link", "Location", "Max-Forwards", "Origin", "Pragma", "Prefer", "Priority",
	"Proxy-", "Range", "Referer", "Repr-Digest", "Request-Context", "Request-Id", "Sec-", "Sentry-Trace",
	"Server", "Set-Cookie", "Slug", "Soapaction", "Te", "Traceparent", "Traceresponse", "Tracestate",
	"Trailer", "Transfer-Encoding", "True-Client-Ip", "Uber-Trace-Id", "Upgrade", "Upgrade-",
	"User-Agent", "Vary", "Via", "Want-", "Warning", "X-Accel-", "X-Amz-Cf-Id", "X-Amzn-Request-Id",
	"X-Amzn-Trace-Id", "X-Appengine-", "X-Azure-Client-Ip", "X-Azure-Ref", "X-Azure-Socket-Ip", "X-B3-",
	"X-Client-Ip", "X-Client-Request-Id", "X-Cloud-Trace-Context", "X-Cluster-Client-Ip",
	"X-Correlation-Context", "X-Correlation-Id", "X-Datadog-", "X-Envoy-", "X-Forward-", "X-Forwarded",
	"X-Forwarded-", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Host", "X-Http-",
	"X-Http-Method-Override", "X-Idempotency-Key", "X-Method-", "X-Ms-Client-Request-Id",
	"X-Nf-Client-Connection-Ip", "X-Original-", "X-Original-Uri", "X-Original-Url", "X-Originating-",
	"X-Originating-Ip", "X-Override-", "X-Path", "X-Path-Info", "X-Real-", "X-Real-Ip", "X-Remote-",
	"X-Remote-Addr", "X-Remote-Ip", "X-Request-Id", "X-Request-Path", "X-Request-Start", "X-Request-Uri",
	"X-Request-Url", "X-Requested-With", "X-Rewrite-", "X-Rewrite-Url", "X-Scheme", "X-Sendfile",
	"X-Source-Ip", "X-Trace-Id", "X-Uri", "X-Url", "X-User-Agent", "X-Vercel-Id",
}

// MaxHeaders is how many headers a credential may name.
const MaxHeaders = 20

var headerShape = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

func isHeaderName(name string) bool { return len(name) <= 100 && headerShape.MatchString(name) }

// SealedHeaders returns the headers in which a sealed value may stand: those that its credential
// names, or the usual ones if it names none.
func SealedHeaders(named []string) []string {
	if len(named) == 0 {
		named = usualHeaders
	}
	return slices.Clone(named)
}

// CanonicalHeaders returns the names in canonical spelling and order, each once. It is never nil.
func CanonicalHeaders(names []string) ([]string, error) {
	list := []string{}
	for _, name := range names {
		if err := CheckHeader("headers", name); err != nil {
			return nil, err
		}
		list = append(list, http.CanonicalHeaderKey(name))
	}
	slices.Sort(list)
	if list = slices.Compact(list); len(list) > MaxHeaders {
		return nil, Invalid("headers", fmt.Sprintf("a credential names at most %d headers", MaxHeaders),
			"Name only those that its service reads.")
	}
	return list, nil
}

// StoredHeaders reports whether names are in the form that CanonicalHeaders returns. Names that
// became unfit since pass.
func StoredHeaders(names []string) bool {
	for i, name := range names {
		if !isHeaderName(name) || http.CanonicalHeaderKey(name) != name || i > 0 && names[i-1] >= name {
			return false
		}
	}
	return len(names) <= MaxHeaders
}

// CheckHeader accepts the name of a header in which a sealed value may stand, typed into an input
// field.
func CheckHeader(field, name string) error {
	switch {
	case !isHeaderName(name):
		return Invalid(field, fmt.Sprintf("%q is not the name of a header", Clip(name, 60)),
			"Write the name only, such as X-Api-Key.")
	case UnfitHeader(name):
		what := "no sealed value can stand in %s: servers and proxies log that header, route by it or read the message by it"
		return Invalid(field, fmt.Sprintf(what, Clip(name, 60)),
			"Name the header from which the service reads its credentials, such as Authorization or X-Api-Key.")
	}
	return nil
}

// UnfitHeader reports whether no sealed value may stand in a header, whatever its credential says.
// Servers differ in which characters they take for each other or leave out, so only letters and
// digits count.
func UnfitHeader(name string) bool {
	words := headerWords(name)
	return slices.ContainsFunc(unfitHeaders, func(unfit string) bool {
		of := headerWords(unfit)
		if strings.HasSuffix(unfit, "-") {
			return len(words) >= len(of) && slices.Equal(words[:len(of)], of)
		}
		return strings.Join(words, "") == strings.Join(of, "")
	})
}

// headerWords returns the runs of letters and digits in a header's name, in lower case.
func headerWords(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}
