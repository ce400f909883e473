package testrequest

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
)

// Targets returns a credential's places that can be tested as host:port, in its hosts' order.
func Targets(c app.Credential) []string {
	var all []string
	for _, h := range c.Hosts {
		if strings.HasPrefix(h.Name, "*.") {
			continue
		}
		for _, p := range testable(c, h) {
			all = append(all, net.JoinHostPort(h.Name, strconv.Itoa(p)))
		}
	}
	return all
}

// Wildcards returns a credential's patterns, for which a person must name a host.
func Wildcards(c app.Credential) []string {
	var all []string
	for _, h := range c.Hosts {
		if strings.HasPrefix(h.Name, "*.") && len(testable(c, h)) > 0 {
			all = append(all, h.Name)
		}
	}
	return all
}

// testable returns the ports that may get a sealed value, encrypted ones first.
func testable(c app.Credential, h app.Host) []int {
	var sealed, open []int
	for _, p := range h.Ports {
		switch {
		case h.Protocol.Raw():
		case !h.IsUnencrypted(p):
			sealed = append(sealed, p)
		case c.PlainHTTP:
			open = append(open, p)
		}
	}
	return append(sealed, open...)
}

// target is where one test goes.
type target struct {
	host app.Host // the entry that covers it, narrowed to one name and port
	tls  bool
	url  *url.URL
}

func (t target) port() int { return t.host.Ports[0] }

func choose(c app.Credential, req Request) (target, error) {
	place := req.Host
	if place == "" {
		all := Targets(c)
		if len(all) == 0 {
			return target{}, app.Invalid("host", fmt.Sprintf("none of the hosts of %s can be tested as it stands", c.Name),
				"Name a host under its wildcard, such as api.example.com.")
		}
		place = all[0]
	}
	asked, err := app.ParseHost(place)
	if err != nil {
		return target{}, err
	}
	if strings.HasPrefix(asked.Name, "*.") || asked.KeyReference() != "" {
		return target{}, app.Invalid("host", fmt.Sprintf("%s is not one host", asked),
			"Name the host itself, such as api.example.com.")
	}
	path, err := parsePath(req.Path)
	if err != nil {
		return target{}, err
	}
	for _, h := range c.Hosts {
		both, ok := h.Overlap(asked)
		if !ok {
			continue
		}
		if port, ok := firstWanted(testable(c, h), both.Ports); ok {
			t := target{host: h, tls: !h.IsUnencrypted(port), url: path}
			t.host.Name, t.host.Ports, t.host.Private = asked.Name, []int{port}, req.Private
			t.url.Scheme, t.url.Host = "https", authority(asked.Name, port, 443)
			if !t.tls {
				t.url.Scheme, t.url.Host = "http", authority(asked.Name, port, 80)
			}
			return t, nil
		}
	}
	return target{}, app.Invalid("host", fmt.Sprintf("the value of %s may not go to %s", c.Name, place),
		"Choose one of the credential's hosts; plain HTTP only counts where it is permitted.")
}

func firstWanted(ports, wanted []int) (int, bool) {
	i := slices.IndexFunc(ports, func(p int) bool { return slices.Contains(wanted, p) })
	if i < 0 {
		return 0, false
	}
	return ports[i], true
}

// authority returns a URL's host, without the scheme's usual port.
func authority(name string, port, usual int) string {
	if port != usual {
		return net.JoinHostPort(name, strconv.Itoa(port))
	}
	if strings.Contains(name, ":") {
		return "[" + name + "]"
	}
	return name
}

const maxPath = 2000

func parsePath(text string) (*url.URL, error) {
	if text == "" {
		text = "/"
	}
	if strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") && len(text) <= maxPath &&
		!strings.ContainsAny(text, "#\\ ") {
		if u, err := url.ParseRequestURI(text); err == nil && u.Host == "" {
			return u, nil
		}
	}
	return nil, app.Invalid("path", "the path can't be used",
		"It starts with one slash, such as /v1/me, and has no spaces.")
}
