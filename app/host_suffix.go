package app

import (
	"fmt"
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

// HostWarnings returns what a person who lets a value go to these hosts should know, a sentence
// each. Nothing is refused because of them.
func HostWarnings(hosts []Host) []string {
	var warnings []string
	for _, h := range hosts {
		if suffix := h.PublicSuffix(); suffix != "" {
			warnings = append(warnings, fmt.Sprintf("Anybody can have a name below %s, so %s lets the value go to hosts of "+
				"many owners. Name the hosts themselves.", suffix, h.Name))
		}
	}
	return warnings
}
