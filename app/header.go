package app

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// usualHeaders are the headers in which services expect credentials, in canonical spelling. Cookie is left out: a
// credential has to name it. The first ones come first in messages.
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

// unfitHeaders frame a message, route it, or are logged and passed on by servers and proxies on the way. One that ends
// in a dash stands for all that begin with it. A name that comes in needs a migration that takes it out of credentials:
// files that name it are refused.
var unfitHeaders = []string{
	"A-Im", "Accept", "Accept-", "Access-Control-", "Age", "Allow", "Alt-Used", "B3", "Baggage",
	"Cache-Control", "Cf-Connecting-Ip", "Cf-Ray", "Client-Ip", "Connection", "Content-", "Correlation-Id",
	"Date", "Destination", "Digest", "Dnt", "Etag", "Expect", "Expires", "Fastly-Client-Ip", "Forwarded",
	"From", "Front-End-Https", "Host", "Http2-Settings", "Idempotency-Key", "If-", "Keep-Alive",
	"Last-Event-Id", "Last-Modified", "Link", "Location", "Max-Forwards", "Origin", "Pragma", "Prefer",
	"Priority", "Proxy-", "Range", "Referer", "Repr-Digest", "Request-Id", "Sec-", "Sentry-Trace", "Server",
	"Set-Cookie", "Slug", "Soapaction", "Te", "Traceparent", "Tracestate", "Trailer", "Transfer-Encoding",
	"True-Client-Ip", "Uber-Trace-Id", "Upgrade", "Upgrade-", "User-Agent", "Vary", "Via", "Want-", "Warning",
	"X-Accel-", "X-Amzn-Trace-Id", "X-B3-", "X-Client-Ip", "X-Cloud-Trace-Context", "X-Cluster-Client-Ip",
	"X-Correlation-Id", "X-Datadog-", "X-Envoy-", "X-Forwarded", "X-Forwarded-", "X-Host", "X-Http-",
	"X-Idempotency-Key", "X-Method-", "X-Original-", "X-Originating-", "X-Real-", "X-Remote-", "X-Request-Id",
	"X-Request-Start", "X-Request-Uri", "X-Request-Url", "X-Requested-With", "X-Rewrite-", "X-Sendfile",
	"X-Trace-Id", "X-User-Agent",
}

// MaxHeaders is how many headers a credential may name.
const MaxHeaders = 20

var headerShape = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// SealedHeaders returns the headers in which a sealed value may stand: those that its credential names, or the usual ones
// if it names none.
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

// CheckHeader accepts the name of a header in which a sealed value may stand, typed into an input field.
func CheckHeader(field, name string) error {
	switch {
	case !headerShape.MatchString(name):
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
// Dashes and underscores count as the same, as they do to many servers.
func UnfitHeader(name string) bool {
	name = http.CanonicalHeaderKey(strings.ReplaceAll(name, "_", "-"))
	return slices.ContainsFunc(unfitHeaders, func(unfit string) bool {
		return name == unfit || strings.HasSuffix(unfit, "-") && strings.HasPrefix(name, unfit)
	})
}
