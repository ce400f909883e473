package app

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Policy is what a profile's scripts may have and reach. Versions are immutable; each execution
// keeps its version's number.
type Policy struct {
	ProfileID string    `json:"-"`
	Version   int       `json:"version"`
	Keys      []Grant   `json:"keys"`
	Hosts     []Host    `json:"hosts"`
	Placement Placement `json:"placement,omitzero"`
	CreatedAt time.Time `json:"-"`
	CreatedBy Actor     `json:"-"`
}

// Grant links one key to one credential.
type Grant struct {
	Key          string `json:"key"`
	CredentialID string `json:"credential_id"`
	Mode         Mode   `json:"mode"` // of the credential when the version was made
	Hosts        []Host `json:"hosts,omitempty"`
}

// Placement says where a profile's scripts may run. Empty fields leave it to the instance.
type Placement struct {
	Backend string `json:"backend,omitempty"`  // the one sandbox backend
	MinTier string `json:"min_tier,omitempty"` // "restricted" or "full"
	Image   string `json:"image,omitempty"`    // one of those that the operator listed
	Fresh   bool   `json:"fresh,omitempty"`    // in no box that was forked from a template
}

// String describes the requirements, such as "with the backend ssh, in the image py". It is empty
// without any.
func (p Placement) String() string {
	var parts []string
	if p.Backend != "" {
		parts = append(parts, "with the backend "+p.Backend)
	}
	if p.MinTier != "" {
		parts = append(parts, "with isolation "+p.MinTier+" at least")
	}
	if p.Image != "" {
		parts = append(parts, "in the image "+p.Image)
	}
	if p.Fresh {
		parts = append(parts, "in fresh boxes")
	}
	return strings.Join(parts, ", ")
}

// Digest identifies a policy's grants: sha256 over its JSON, hex. Profile, time, reasons and order
// of entries make no difference.
func (p Policy) Digest() string {
	keys := append([]Grant{}, p.Keys...)
	slices.SortFunc(keys, func(a, b Grant) int { return strings.Compare(a.Key, b.Key) })
	for i := range keys {
		keys[i].Hosts = grantedHosts(keys[i].Hosts)
	}
	text, err := json.Marshal(struct {
		Keys      []Grant   `json:"keys"`
		Hosts     []Host    `json:"hosts"`
		Placement Placement `json:"placement,omitzero"`
	}{keys, grantedHosts(p.Hosts), p.Placement})
	if err != nil {
		panic("app: a policy is always encodable: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// grantedHosts returns the entries without reasons, in fixed order.
func grantedHosts(hosts []Host) []Host {
	out := append([]Host{}, hosts...)
	for i := range out {
		out[i].Reason = ""
	}
	order := func(h Host) string { return fmt.Sprint(h, h.Protocol, h.Private) }
	slices.SortFunc(out, func(a, b Host) int { return strings.Compare(order(a), order(b)) })
	return out
}
