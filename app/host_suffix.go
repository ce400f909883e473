package app

import (
	"fmt"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// PublicSuffix returns the public suffix of a wildcard over many owners, or "". It is co.uk for
// *.co.uk, github.io for *.github.io.
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

// HostWarnings returns warnings about sending a value to these hosts, a sentence each. Nothing is
// refused because of them.
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
