package egress

import (
	"errors"
	"fmt"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/rules"
)

// canonicalHosts keeps the entries that have a canonical form. Others can't match anyway.
func canonicalHosts(hosts []app.Host) []app.Host {
	kept := make([]app.Host, 0, len(hosts))
	for _, h := range hosts {
		if c, err := h.Canonical(); err == nil {
			kept = append(kept, c)
		}
	}
	return kept
}

func canonicalTarget(host string, port int) (string, error) {
	if port < 1 || port > 65535 {
		return "", errors.New("the port is not a number from 1 to 65535")
	}
	return app.CanonicalName(host)
}

// decide returns the entry that covers a canonical name and port, or a rule. The exact name
// precedes wildcards, then the first entry counts. If any entry admits private addresses they are
// admitted: a person allowed that for this name and port.
func decide(hosts []app.Host, name string, port int) (entry app.Host, rule string) {
	rule = rules.NotListed
	private := false
	for _, h := range hosts {
		switch {
		case h.Matches(name, port):
			private = private || h.Private
			if rule != "" || h.Name == name && entry.Name != name {
				entry, rule = h, ""
			}
		case rule == rules.NotListed && h.Matches(name, h.Ports[0]):
			rule = rules.Port
		}
	}
	entry.Private = private
	return entry, rule
}

// printable bounds a hostile name for the ledger and percent-encodes all but printable ASCII. The
// redactor reads that encoding, so no value can hide in a name.
func printable(host string) string {
	var b strings.Builder
	for _, c := range []byte(app.Clip(host, 255)) { // longer than any name: what is cut here could hide a value
		if c < 0x21 || c > 0x7e {
			fmt.Fprintf(&b, "%%%02X", c)
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
