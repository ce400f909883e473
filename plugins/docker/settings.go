package docker

import (
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/roots"
)

// DefaultImage is the operator's image unless the settings name others: what deploy/sandbox builds.
const DefaultImage = "airlock-sandbox"

type settings struct {
	host    string // empty: search
	tls     string // directory with ca.pem, cert.pem and key.pem; empty: none
	plain   bool
	images  []string // the first is the default
	runtime string   // empty: the engine's own
	tmpExec bool
}

var (
	imageShape   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]*$`)
	runtimeShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
)

func parseSettings(in map[string]string) (settings, error) {
	s := settings{images: []string{DefaultImage}}
	err := plugins.ReadSettings(Name, in, map[string]func(string) error{
		"host": plugins.Text(&s.host), "cert_path": plugins.Path(&s.tls), "plain_tcp": plugins.Bool(&s.plain),
		"tmp_exec": plugins.Bool(&s.tmpExec),
		"image": func(value string) (err error) {
			s.images, err = imageList(value)
			return err
		},
		"runtime": func(value string) (err error) {
			s.runtime, err = checkShape(value, runtimeShape, "the name of a runtime, such as runsc")
			return err
		},
	})
	if err != nil {
		return settings{}, err
	}
	return s, s.checkHost()
}

// checkHost refuses ways to an engine on which somebody else could be listening or speaking.
func (s settings) checkHost() error {
	if s.host == "" {
		return nil
	}
	u, err := url.Parse(s.host)
	if err != nil {
		return fmt.Errorf(`setting "host": %w`, err)
	}
	switch u.Scheme {
	case "unix":
		if plugins.Path(new(string))(u.Path) != nil || u.Host != "" {
			return fmt.Errorf(`setting "host": %q is not of the form unix:///path`, s.host)
		}
		return nil
	case "tcp":
		if u.Hostname() == "" || u.Port() == "" || u.Path != "" || u.User != nil {
			return fmt.Errorf(`setting "host": %q is not of the form tcp://name:port`, s.host)
		}
		if s.tls == "" && !s.plain && !loopback(u.Hostname()) {
			return fmt.Errorf(`setting "host": %s is without TLS; name the directory of the certificates in `+
				`"cert_path", or set "plain_tcp" to true for a socket proxy on a private network`, s.host)
		}
		return nil
	case "ssh":
		return fmt.Errorf(`setting "host": ssh is not supported; use tcp with TLS`)
	default:
		return fmt.Errorf(`setting "host": %q begins neither with unix:// nor with tcp://`, s.host)
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func imageList(value string) ([]string, error) {
	var list []string
	for name := range strings.SplitSeq(value, ",") {
		name, err := checkShape(strings.TrimSpace(name), imageShape, "an image, such as registry.example.com/sandbox:3")
		if err != nil {
			return nil, err
		}
		list = append(list, name)
	}
	return list, nil
}

func checkShape(value string, shape *regexp.Regexp, what string) (string, error) {
	if len(value) > 255 || !shape.MatchString(value) {
		return "", fmt.Errorf("%q is not %s", value, what)
	}
	return value, nil
}

// notes say what a script can't do here but can in other namespaced boxes.
func (s settings) notes() []string {
	writable := "Only /tmp and /dev/shm are writable."
	if !s.tmpExec {
		writable = "Only /tmp and /dev/shm are writable, and no program there can be started by itself: use `sh /tmp/x.sh`."
	}
	return []string{writable, roots.Unread}
}
