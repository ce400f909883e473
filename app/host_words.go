package app

import (
	"slices"
	"strconv"
	"strings"
)

// Sentence says for a person what an entry lets scripts reach, and how. It tells what Airlock can't
// check. sealed are the hosts of the profile's sealed credentials. Reason is left out: its words
// are the requester's.
func (h Host) Sentence(sealed []Host) string { return h.Name + h.Terms(sealed) }

// Terms is Sentence without the name.
func (h Host) Terms(sealed []Host) string {
	read, relayed := h.split(sealed)
	var on []string
	if len(read) > 0 {
		on = append(on, strings.TrimSpace(portWords(read)+" "+h.wordProtocol(false)))
	}
	if len(relayed) > 0 {
		on = append(on, portWords(relayed)+" "+h.wordProtocol(true))
	}
	terms := " " + strings.Join(on, " and ")
	if strings.HasPrefix(h.Name, "*.") {
		below := ", every name below it,"
		if h.PublicSuffix() != "" {
			below += " whoever owns it,"
		}
		terms = below + terms
	}
	if h.Private {
		terms += ", including private addresses in your network"
	}
	// At hosts of other profiles' sealed credentials Airlock reads traffic, but for raw protocols.
	checks := ": Airlock may be unable to check"
	if h.Protocol != "" {
		checks = ": Airlock can't check"
	}
	switch {
	case len(relayed) > 0 && len(read) > 0:
		return terms + checks + " the server name, the requests or the answers there"
	case len(relayed) > 0:
		return terms + checks + " the server name, the requests or the answers"
	case slices.ContainsFunc(read, func(port int) bool { return !h.isSealedAt(port, sealed) }):
		return terms + ": Airlock checks the name, but not always who answers"
	}
	return terms
}

// WithPorts returns the entry with all its ports: api.example.com:443.
func (h Host) WithPorts() string {
	ports := make([]string, len(h.Ports))
	for i, p := range h.Ports {
		ports[i] = strconv.Itoa(p)
	}
	h.Ports = []int{1} // written out, and replaced
	return strings.TrimSuffix(h.String(), "1") + strings.Join(ports, ",")
}

// Brief returns the entry with its peculiarities, for lists: cdn.example:443 (over raw TCP).
func (h Host) Brief() string {
	var notes []string
	if h.Protocol != "" {
		notes = append(notes, h.wordProtocol(h.Protocol == ProtocolTCP))
	}
	if h.Private {
		notes = append(notes, "including private addresses")
	}
	if len(notes) == 0 {
		return h.String()
	}
	return h.String() + " (" + strings.Join(notes, ", ") + ")"
}

// BriefHosts lists entries in a sentence.
func BriefHosts(list []Host) string {
	words := make([]string, len(list))
	for i, h := range list {
		words[i] = h.Brief()
	}
	return strings.Join(words, ", ")
}

// IsUnencrypted reports whether what passes on a port is plain HTTP.
func (h Host) IsUnencrypted(port int) bool {
	return h.Protocol == ProtocolHTTP || h.Protocol == "" && port == 80
}

// IsRelayed reports whether a port is relayed unread, unless a sealed credential belongs there.
func (h Host) IsRelayed(port int) bool {
	switch {
	case h.Protocol.Raw():
		return true
	case h.Protocol != "":
		return false
	}
	return !slices.Contains(defaultPorts, port)
}

// RelaysWeb reports whether the entry relays a web port unread. One address there serves many
// hosts.
func (h Host) RelaysWeb() bool {
	return slices.ContainsFunc(defaultPorts,
		func(port int) bool { return slices.Contains(h.Ports, port) && h.IsRelayed(port) })
}

// ReachesMany reports whether the entry covers hosts of many owners.
func (h Host) ReachesMany() bool { return h.RelaysWeb() || h.PublicSuffix() != "" }

// split returns the ports that Airlock reads and those it relays.
func (h Host) split(sealed []Host) (read, relayed []int) {
	for _, port := range h.Ports {
		if h.IsRelayed(port) && (h.Protocol != "" || !h.isSealedAt(port, sealed)) {
			relayed = append(relayed, port)
		} else {
			read = append(read, port)
		}
	}
	return read, relayed
}

// isSealedAt reports whether a sealed credential covers the whole entry at a port.
func (h Host) isSealedAt(port int, sealed []Host) bool {
	return slices.ContainsFunc(sealed, func(s Host) bool {
		return slices.Contains(s.Ports, port) && (s.Name == h.Name || h.isUnder(s))
	})
}

// wordProtocol names a protocol that differs from the port's.
func (h Host) wordProtocol(relayed bool) string {
	switch {
	case h.Protocol == ProtocolHTTP:
		return "over HTTP without encryption"
	case h.Protocol == ProtocolHTTPS:
		return "over HTTPS"
	case h.Protocol == ProtocolPostgres:
		return "as PostgreSQL"
	case relayed:
		return "over raw TCP"
	}
	return ""
}

func portWords(ports []int) string {
	words := make([]string, len(ports))
	for i, p := range ports {
		words[i] = strconv.Itoa(p)
	}
	if len(words) == 1 {
		return "on port " + words[0]
	}
	return "on ports " + strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
