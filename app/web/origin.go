package web

import (
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"

	"github.com/labstack/echo/v4"
)

// clientAddress is the address a request came from. X-Forwarded-For counts only from trusted proxies, read from the right: the first
// address that is not itself a trusted proxy is the client.
func (s *Server) clientAddress(r *http.Request) string {
	direct, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		direct = r.RemoteAddr
	}
	if !s.trusted(r) {
		return direct
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	client := direct
	for i := len(hops) - 1; i >= 0; i-- {
		addr, err := hopAddress(strings.TrimSpace(hops[i]))
		if err != nil {
			break
		}
		client = addr.WithZone("").Unmap().String() // a zone may be any text
		if !s.trustedAddr(addr) {
			break
		}
	}
	return client
}

// hopAddress reads one address of X-Forwarded-For. Some proxies write brackets around one of version 6, and some the port behind it.
func hopAddress(text string) (netip.Addr, error) {
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr(), nil
	}
	return netip.ParseAddr(strings.Trim(text, "[]"))
}

// scheme is "https" or "http". X-Forwarded-Proto counts only from trusted proxies; its last value is the nearest proxy's.
func (s *Server) scheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	if s.trusted(r) {
		values := strings.Split(strings.Join(r.Header.Values("X-Forwarded-Proto"), ","), ",")
		if strings.EqualFold(strings.TrimSpace(values[len(values)-1]), "https") {
			return "https"
		}
	}
	return "http"
}

// overTLS reports whether a visitor came over https. A proxy that isn't trusted can't say so; then the public address does, for those who came by it.
func (s *Server) overTLS(r *http.Request) bool {
	host, secure := strings.CutPrefix(s.cfg.PublicURL, "https://")
	return s.scheme(r) == "https" || secure && strings.EqualFold(r.Host, host)
}

// hostShape is what a Host header may look like to be repeated in an answer.
var hostShape = regexp.MustCompile(`^([A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(:[0-9]{1,5})?$`)

// baseURL is the address under which the caller reaches this instance, without trailing slash: the configured one, else as the request
// says. A Host header that doesn't look like one is not repeated.
func (s *Server) baseURL(c echo.Context) string { return s.baseOf(c.Request()) }

func (s *Server) baseOf(r *http.Request) string {
	if s.cfg.PublicURL != "" {
		return s.cfg.PublicURL
	}
	host := r.Host
	if s.trusted(r) {
		values := strings.Split(strings.Join(r.Header.Values("X-Forwarded-Host"), ","), ",")
		if forwarded := strings.TrimSpace(values[len(values)-1]); forwarded != "" {
			host = forwarded
		}
	}
	if !hostShape.MatchString(host) {
		host = "localhost:9090"
	}
	return s.scheme(r) + "://" + host
}
