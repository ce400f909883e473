package config

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

// ShowSize writes a number of bytes as the variables have it, such as 64MiB.
func ShowSize(n int64) string {
	return strings.TrimSuffix(strings.ReplaceAll(app.FormatSize(n), " ", ""), "bytes")
}

// showDuration writes 10m0s as 10m and 1h0m0s as 1h.
func showDuration(d time.Duration) string {
	text := d.String()
	for _, empty := range []struct{ end, without string }{{"m0s", "m"}, {"h0m", "h"}} {
		if rest, ok := strings.CutSuffix(text, empty.end); ok {
			text = rest + empty.without
		}
	}
	return text
}

// ParseURL accepts http and https addresses without query, and drops a trailing slash.
func ParseURL(text string) (string, error) {
	u, err := url.Parse(text)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" || u.Opaque != "" {
		return "", fmt.Errorf("%q is not an address such as https://airlock.example.com", app.Clip(text, 80))
	}
	if strings.Trim(u.Path, "/") != "" {
		return "", fmt.Errorf("%q has a path; Airlock stands at the root of its host", app.Clip(text, 80))
	}
	return u.Scheme + "://" + u.Host, nil
}

func setAddr(field *string, text string) error {
	if checkPort(text) == nil {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil || checkPort(port) != nil && port != "0" {
		return fmt.Errorf("%q is not an address such as :9090 or 127.0.0.1:9090", app.Clip(text, 80))
	}
	*field = net.JoinHostPort(host, port)
	return nil
}

func checkPort(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 65535 || strconv.Itoa(n) != text {
		return fmt.Errorf("%q is not a port", app.Clip(text, 40))
	}
	return nil
}
