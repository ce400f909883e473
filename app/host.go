package app

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Protocol says how Airlock treats a connection to a host.
type Protocol string

// The protocols. Empty means by port: 443 https, 80 http, else tcp.
const (
	ProtocolHTTP     Protocol = "http"
	ProtocolHTTPS    Protocol = "https"
	ProtocolPostgres Protocol = "postgres"
	ProtocolTCP      Protocol = "tcp"
)

// Raw reports whether Airlock relays the protocol unread.
func (p Protocol) Raw() bool { return p == ProtocolTCP || p == ProtocolPostgres }

// Host is one entry of an allow-list. Name is canonical (lower case ASCII, no trailing dot). It is
// a host name, "*.name" for its true subdomains, "{KEY}" for a plain key's value at dispatch, or an
// IP address, which can't be granted (CheckGrantable).
type Host struct {
	Name     string   `json:"host"`
	Ports    []int    `json:"ports"` // sorted, at least one
	Protocol Protocol `json:"protocol,omitempty"`
	Private  bool     `json:"private,omitempty"` // admits addresses in private ranges; only a person sets it
	Reason   string   `json:"reason,omitempty"`
}

// defaultPorts are the ports of an entry without any.
var defaultPorts = []int{80, 443}

// MaxHosts is the largest number of entries on one profile.
const MaxHosts = 100

// ParseHost reads "host", "host:port", "host:port,port", "*.host", "{KEY}:port" or "[v6]:port". It
// never sets Private.
func ParseHost(text string) (Host, error) {
	if strings.Contains(text, "/") {
		return Host{}, badHost(text, "leave out the scheme and the path")
	}
	name, portText, err := splitPort(strings.TrimSpace(text))
	if err != nil {
		return Host{}, err
	}
	h := Host{Name: name, Ports: slices.Clone(defaultPorts)}
	if portText != "" {
		h.Ports = nil
		for p := range strings.SplitSeq(portText, ",") {
			n, err := strconv.Atoi(p)
			if err != nil || n < 1 || n > 65535 || strconv.Itoa(n) != p {
				return Host{}, badHost(text, "the port is not a number from 1 to 65535")
			}
			h.Ports = append(h.Ports, n)
		}
	}
	return h.Canonical()
}

// Canonical returns the entry in its only stored, matched and dialled form.
func (h Host) Canonical() (Host, error) {
	name, err := canonicalPattern(h.Name)
	if err != nil {
		return Host{}, err
	}
	h.Name = name
	if len(h.Ports) == 0 {
		h.Ports = slices.Clone(defaultPorts)
	}
	h.Ports = slices.Compact(slices.Sorted(slices.Values(h.Ports)))
	if len(h.Ports) > 16 {
		return Host{}, badHost(name, "it names more than 16 ports")
	}
	for _, p := range h.Ports {
		if p < 1 || p > 65535 {
			return Host{}, badHost(name, "the port is not a number from 1 to 65535")
		}
	}
	switch h.Protocol {
	case "", ProtocolHTTP, ProtocolHTTPS, ProtocolPostgres, ProtocolTCP:
	default:
		return Host{}, Invalid("protocol", fmt.Sprintf("protocol %q is not known", Clip(string(h.Protocol), 40)),
			"Use http, https, postgres or tcp, or leave it out.")
	}
	if err := CheckStored("reason", h.Reason, MaxDescription); err != nil {
		return Host{}, err
	}
	return h, nil
}

// CheckReachable refuses hosts that no script ever reaches. These are Airlock's machine, and
// link-local and multicast addresses.
func (h Host) CheckReachable() error {
	addr, err := netip.ParseAddr(h.Name)
	if err != nil && h.Name != "localhost" && !strings.HasSuffix(h.Name, ".localhost") {
		return nil
	}
	if err == nil && !addr.IsLoopback() && !addr.IsUnspecified() && !addr.IsLinkLocalUnicast() && !addr.IsMulticast() {
		return nil
	}
	return Invalid("host", fmt.Sprintf("host %q is never reachable from a script", h.Name),
		"Services on Airlock's own host are reachable by a name that its operator gives them in AIRLOCK_LOCAL_SERVICES. "+
			"Use that name.")
}

// CheckGrantable refuses what CheckReachable refuses, and IP addresses. No box has a route to one.
func (h Host) CheckGrantable() error {
	if err := h.CheckReachable(); err != nil {
		return err
	}
	if _, err := netip.ParseAddr(h.Name); err != nil {
		return nil //nolint:nilerr // it is a name
	}
	return Invalid("host", fmt.Sprintf("host %q is an address, and scripts reach hosts by their names only", h.Name),
		"Use the host's name. If it has none, have the operator give it one, as in "+
			"AIRLOCK_LOCAL_SERVICES=db.internal:5432=10.0.0.7:5432, and use that.")
}

// CheckAskable refuses hosts that an agent may not ask for. These are unread relays on web ports,
// where one address serves many names, and reasons with invisible characters.
func (h Host) CheckAskable() error {
	if h.RelaysWeb() {
		return Invalid("protocol",
			fmt.Sprintf("agents can't ask for the protocol %s on ports 80 and 443: one address serves many hosts there, so "+
				"Airlock checks which one is meant", h.Protocol),
			"Leave protocol out: port 443 is for https and port 80 for http. For another protocol, name the port that the "+
				"service has for it.")
	}
	return CheckText("reason", h.Reason, MaxDescription)
}

// String returns the short form that ParseHost reads.
func (h Host) String() string {
	name := h.Name
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	if slices.Equal(h.Ports, defaultPorts) {
		return name
	}
	ports := make([]string, len(h.Ports))
	for i, p := range h.Ports {
		ports[i] = strconv.Itoa(p)
	}
	return name + ":" + strings.Join(ports, ",")
}

// KeyReference returns the key of a "{KEY}" host, or "".
func (h Host) KeyReference() string {
	if key, ok := strings.CutPrefix(h.Name, "{"); ok {
		return strings.TrimSuffix(key, "}")
	}
	return ""
}

// Matches reports whether the entry covers a canonical name and a port.
func (h Host) Matches(name string, port int) bool {
	if !slices.Contains(h.Ports, port) {
		return false
	}
	if suffix, ok := strings.CutPrefix(h.Name, "*"); ok {
		return len(name) > len(suffix) && strings.HasSuffix(name, suffix)
	}
	return h.Name == name
}

// CanonicalName returns the form of a host name or address for matching and dialling. It is lower
// case ASCII without trailing dot; international names must be in xn-- form. Odd names are refused,
// also an IPv4 address in IPv6 (::ffff:192.0.2.1).
func CanonicalName(name string) (string, error) {
	if addr, err := netip.ParseAddr(name); err == nil {
		if addr.Zone() != "" {
			return "", badHost(name, "addresses with a zone are not allowed")
		}
		if addr.Is4In6() {
			return "", badHost(name, "write the IPv4 address itself, such as 192.0.2.1")
		}
		return addr.String(), nil
	}
	name = lower(strings.TrimSuffix(name, "."))
	if name == "" || len(name) > 253 {
		return "", badHost(name, "a name has 1 to 253 characters")
	}
	labels := strings.Split(name, ".")
	for _, label := range labels {
		if !validLabel(label) {
			return "", badHost(name, "labels are 1 to 63 letters, digits, dashes or underscores; write international names in "+
				"their xn-- form")
		}
	}
	if numericLabel(labels[len(labels)-1]) {
		return "", badHost(name, "it looks like an address in an unusual notation")
	}
	return name, nil
}

func canonicalPattern(name string) (string, error) {
	if key, ok := strings.CutPrefix(name, "{"); ok {
		key, closed := strings.CutSuffix(key, "}")
		if !closed || CheckName(key) != nil {
			return "", badHost(name, "a reference to a key is written {KEY}")
		}
		return "{" + key + "}", nil
	}
	if parent, ok := strings.CutPrefix(name, "*."); ok {
		parent, err := CanonicalName(parent)
		if err != nil {
			return "", err
		}
		if _, err := netip.ParseAddr(parent); err == nil || !strings.Contains(parent, ".") {
			return "", badHost(name, "a wildcard needs at least two labels after it, such as *.example.com")
		}
		return "*." + parent, nil
	}
	return CanonicalName(name)
}

func splitPort(text string) (name, port string, err error) {
	if rest, ok := strings.CutPrefix(text, "["); ok {
		addr, tail, closed := strings.Cut(rest, "]")
		if !closed || !strings.Contains(addr, ":") || (tail != "" && tail[0] != ':') {
			return "", "", badHost(text, "write IPv6 addresses as [addr]:port")
		}
		if tail == ":" {
			return "", "", badHost(text, "the port is missing after the colon")
		}
		return addr, strings.TrimPrefix(tail, ":"), nil
	}
	if strings.Count(text, ":") > 1 {
		return "", "", badHost(text, "write it as host or host:port, without a scheme or path")
	}
	name, port, found := strings.Cut(text, ":")
	if found && port == "" {
		return "", "", badHost(text, "the port is missing after the colon")
	}
	return name, port, nil
}

// lower changes ASCII letters only. strings.ToLower turns some other letters into ASCII, such as
// the Kelvin sign.
func lower(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, name)
}

func validLabel(label string) bool {
	if len(label) == 0 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
		return false
	}
	for _, c := range []byte(label) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// numericLabel reports whether this last label may make a name an IPv4 address (2130706433,
// 0x7f.1).
func numericLabel(label string) bool {
	if hex, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

func badHost(name, why string) *Error {
	return Invalid("host", fmt.Sprintf("host %q can't be used: %s", Clip(name, 80), why),
		"Name one host, such as api.example.com, db.example.com:5432 or *.example.com.")
}
