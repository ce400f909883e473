package httpx

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"

	"github.com/computclaw/airlock/app"
)

// Origins tells who sent a request, and the address they use for this instance.
//
// X-Forwarded-* headers count only from TrustedProxies. Of several values the nearest proxy's
// counts.
type Origins struct {
	PublicURL      string // without trailing slash; "" means from the request
	TrustedProxies []netip.Prefix
}

// ClientAddress returns a request's client: X-Forwarded-For's first untrusted address from the
// right.
func (o Origins) ClientAddress(r *http.Request) string {
	direct, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		direct = r.RemoteAddr
	}
	if !o.fromProxy(r) {
		return direct
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	client := direct
	for i := len(hops) - 1; i >= 0; i-- {
		addr, err := parseHop(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		client = addr.WithZone("").Unmap().String() // a zone may be any text
		if !o.trusts(addr) {
			break
		}
	}
	return client
}

// parseHop parses an address of X-Forwarded-For, with optional port and IPv6 brackets.
func parseHop(text string) (netip.Addr, error) {
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr(), nil
	}
	return netip.ParseAddr(strings.Trim(text, "[]"))
}

// fromProxy reports whether a request's peer is a trusted proxy.
func (o Origins) fromProxy(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return err == nil && o.trusts(peer.Addr())
}

func (o Origins) trusts(addr netip.Addr) bool {
	addr = addr.Unmap()
	for _, p := range o.TrustedProxies {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

// forwardedHeader returns the nearest proxy's value of a header, or "" if untrusted.
func (o Origins) forwardedHeader(r *http.Request, name string) string {
	if !o.fromProxy(r) {
		return ""
	}
	values := strings.Split(strings.Join(r.Header.Values(name), ","), ",")
	return strings.TrimSpace(values[len(values)-1])
}

// Scheme is "https" or "http".
func (o Origins) Scheme(r *http.Request) string {
	if r.TLS != nil || strings.EqualFold(o.forwardedHeader(r, "X-Forwarded-Proto"), "https") {
		return "https"
	}
	return "http"
}

// OverTLS reports whether a visitor came over https. Behind an untrusted proxy the public URL
// decides, for visitors who used it.
func (o Origins) OverTLS(r *http.Request) bool {
	host, secure := strings.CutPrefix(o.PublicURL, "https://")
	return o.Scheme(r) == "https" || secure && strings.EqualFold(o.Host(r), host)
}

const maxHost = 253 + len(":65535")

// hostShape matches Host headers that answers may repeat.
var hostShape = regexp.MustCompile(`^([A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?$`)

// Host returns the name and optional port that the caller uses.
func (o Origins) Host(r *http.Request) string {
	if forwarded := o.forwardedHeader(r, "X-Forwarded-Host"); forwarded != "" {
		return forwarded
	}
	return r.Host
}

// BaseURL returns the caller's address of this instance, without trailing slash. The public URL
// takes precedence over the request.
func (o Origins) BaseURL(r *http.Request) string {
	if o.PublicURL != "" {
		return o.PublicURL
	}
	host := o.Host(r)
	if len(host) > maxHost || !hostShape.MatchString(host) {
		host = "localhost:9090"
	}
	return o.Scheme(r) + "://" + host
}

// RelyingParty returns what passkeys are bound to: host and origin of BaseURL. ok is false over
// plain HTTP except localhost, and at IP addresses: browsers have no passkeys there.
func (o Origins) RelyingParty(r *http.Request) (rp app.RelyingParty, ok bool) {
	base, err := url.Parse(o.BaseURL(r))
	if err != nil {
		return rp, false
	}
	host := strings.ToLower(base.Host)
	if base.Scheme == "https" {
		host = strings.TrimSuffix(host, ":443") // as browsers write it
	}
	rp = app.RelyingParty{ID: strings.ToLower(base.Hostname()), Origin: base.Scheme + "://" + host}
	_, notIP := netip.ParseAddr(rp.ID)
	return rp, notIP != nil && (base.Scheme == "https" || rp.ID == "localhost" || strings.HasSuffix(rp.ID, ".localhost"))
}
