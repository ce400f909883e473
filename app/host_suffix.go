package app

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// PublicSuffix returns the public suffix below which a wildcard covers the names of many owners,
// such as co.uk of *.co.uk or github.io of *.github.io, or "".
func (h Host) PublicSuffix() string {
	parent, wildcard := strings.CutPrefix(h.Name, "*.")
	if !wildcard {
		return ""
	}
	if suffix, _ := publicsuffix.PublicSuffix(parent); suffix == parent {
		return suffix
	}
	return ""
}
