package resolver

import (
	"hash/fnv"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/computclaw/airlock/plugins/wire"
)

// Limits of a wildcard: enough for a CDN, too little to carry data out in labels. The engine
// decides again.
const (
	maxWildcardNames  = 256
	maxWildcardLabels = 6
	maxWildcardLength = 160
)

// Names maps allowed names to loopback addresses and back. Safe for concurrent use.
type Names struct {
	mu        sync.Mutex
	rules     []wire.Host
	addresses map[string]netip.Addr
	byAddress map[netip.Addr]string
	fixed     map[string]netip.Addr // answered though no rule allows them (localhost); never forwarded
	wildcards int
	started   bool // the rules are set
}

// NewNames allows no name.
func NewNames() *Names {
	return &Names{addresses: map[string]netip.Addr{}, byAddress: map[netip.Addr]string{}}
}

// Allow sets the rules, once.
func (n *Names) Allow(rules []wire.Host) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.rules, n.started = rules, true
	for _, rule := range rules {
		if !strings.HasPrefix(rule.Name, "*.") {
			n.assign(canonical(rule.Name))
		}
	}
}

// OwnNames is NewNames with localhost and the machine's name.
func OwnNames() *Names {
	n := NewNames()
	loopback := netip.AddrFrom4([4]byte{127, 0, 0, 1})
	n.fixed = map[string]netip.Addr{"localhost": loopback}
	if name, err := os.Hostname(); err == nil {
		n.fixed[canonical(name)] = loopback
	}
	return n
}

// Lookup returns the address of an allowed name. name is canonical.
func (n *Names) Lookup(name string) (netip.Addr, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if address, ok := n.addresses[name]; ok {
		return address, true
	}
	if n.admit(name) {
		return n.assign(name), true
	}
	address, ok := n.fixed[name]
	return address, ok
}

// Find returns the name behind an address. The engine decides about the port.
func (n *Names) Find(address netip.Addr) (string, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	name, ok := n.byAddress[address]
	return name, ok
}

// reportable reports whether to tell the engine of a refused name: a proper host name, after the
// rules are set.
func (n *Names) reportable(name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.started && validName(name)
}

// admit decides about a name that was never asked for before.
func (n *Names) admit(name string) bool {
	if len(name) > maxWildcardLength || strings.Count(name, ".") >= maxWildcardLabels || !validName(name) {
		return false
	}
	if !slices.ContainsFunc(n.rules, func(rule wire.Host) bool { return matches(rule.Name, name) }) {
		return false
	}
	if n.wildcards >= maxWildcardNames {
		return false
	}
	n.wildcards++
	return true
}

// assign derives the address from the name, so every box has the same. Collisions step on.
func (n *Names) assign(name string) netip.Addr {
	if address, ok := n.addresses[name]; ok {
		return address
	}
	hash := fnv.New32a()
	hash.Write([]byte(name))
	for low := hash.Sum32(); ; low++ {
		low &= 1<<22 - 1 // 127.64.0.0/10
		address := netip.AddrFrom4([4]byte{127, 64 | byte(low>>16), byte(low >> 8), byte(low)})
		if _, taken := n.byAddress[address]; taken || byte(low) == 0 || byte(low) == 255 {
			continue
		}
		n.addresses[name], n.byAddress[address] = address, name
		return address
	}
}

// matches reports whether a rule covers a canonical name; "*.x" covers only subdomains of x.
func matches(rule, name string) bool {
	rule = canonical(rule)
	if suffix, ok := strings.CutPrefix(rule, "*"); ok {
		return strings.HasSuffix(name, suffix) && len(name) > len(suffix)
	}
	return rule == name
}

func canonical(name string) string {
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

// validName accepts letters, digits, dashes and underscores in labels of 1 to 63.
func validName(name string) bool {
	for label := range strings.SplitSeq(name, ".") {
		if len(label) == 0 || len(label) > 63 {
			return false
		}
		for _, c := range []byte(label) {
			if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '_' {
				return false
			}
		}
	}
	return len(name) <= 253
}
