package profiles

import (
	"context"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/store"
)

// Grants tells people what profiles grant.
type Grants struct {
	*editor
	versions *policy.Versions
}

// KeyGrant is a key with its credential's permissions.
type KeyGrant struct {
	Key app.Key

	// Of a sealed credential only.
	Where     []app.Host // where the value may go, as far as this profile's key may use it
	Places    []app.Place
	Headers   []string // that the credential names; the usual ones if empty
	PlainHTTP bool

	// Of a plain credential only.
	Names string // the host that its value names; "" for none
	Vault string // reference of a value in Vault, which can name another host at each execution
}

// Keys returns what each key of a profile grants. It follows the policy, or before the lock the
// requests, within the credential's present limits.
func (g *Grants) Keys(ctx context.Context, p app.Profile) ([]KeyGrant, error) {
	named, err := g.versions.NamedHosts(ctx, p)
	if err != nil {
		return nil, err
	}
	asked, ids := map[string][]app.Host{}, make([]string, len(p.Keys))
	for i, k := range p.Keys {
		asked[k.Name], ids[i] = k.Hosts, k.CredentialID
	}
	var found map[string]app.Credential
	err = g.store.Read(ctx, func(tx *store.Tx) error {
		if p.Policy > 0 {
			locked, err := tx.Policies.Version(ctx, p.Handle, p.Policy)
			if err != nil {
				return err
			}
			for _, k := range locked.Keys {
				asked[k.Key] = k.Hosts
			}
		}
		found, err = tx.Credentials.ByID(ctx, ids)
		return err
	})
	grants := make([]KeyGrant, len(p.Keys))
	for i, k := range p.Keys {
		c := found[k.CredentialID]
		grants[i] = KeyGrant{
			Key: k, Where: app.Within(asked[k.Name], c.Hosts), Places: c.Places, Headers: c.Headers,
			PlainHTTP: c.PlainHTTP, Names: named[k.Name], Vault: c.Reference,
		}
	}
	return grants, err
}

// Describe describes a profile's grants, and the requested hosts beyond them, in sentences.
func (g *Grants) Describe(ctx context.Context, p app.Profile) (granted, requested []Sentence, err error) {
	keys, err := g.Keys(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range p.Hosts {
		if !r.Allowed {
			requested = append(requested, say("person", code(r.Name), word(r.Terms(SealedHosts(keys))+".")))
		}
	}
	return DescribeGranted(p, keys, app.AllowedHosts(p.Hosts)), requested, nil
}

// Part is a piece of a sentence; code marks a literal name.
type Part struct {
	Text string
	Code bool
}

// Sentence states one grant or limit of a profile.
type Sentence struct {
	Icon  string // that a page shows beside it
	Warn  bool   // worth a second look before the lock
	New   bool   // not granted so far
	Parts []Part
}

// Text is the sentence without markup.
func (s Sentence) Text() string {
	text := ""
	for _, p := range s.Parts {
		text += p.Text
	}
	return text
}

// Line is the sentence for a terminal.
func (s Sentence) Line() string {
	if s.Warn {
		return "warning: " + s.Text()
	}
	return s.Text()
}

func say(icon string, parts ...Part) Sentence { return Sentence{Icon: icon, Parts: parts} }

func word(text string) Part { return Part{Text: text} }

func code(text string) Part { return Part{Text: text, Code: true} }

// DescribeGranted describes a profile's grants with these hosts. The same sentences stand before
// and after the lock.
func DescribeGranted(p app.Profile, keys []KeyGrant, hosts []app.Host) []Sentence {
	all := access(keys, hosts)
	if p.ExpiresAt.IsZero() {
		all = append(all, say("clock", word("The profile has no end date. You can revoke it at any moment.")))
	} else {
		all = append(all, say("clock", word("The profile ends on "+app.FormatDay(p.ExpiresAt)+".")))
	}
	if p.MayRun != app.MayRunAny && p.MayRun != "" {
		all = append(all, say("plain", word(p.MayRun.Sentence())))
	}
	if p.Placement == (app.Placement{}) {
		return append(all, say("box", word("Its scripts may run in any sandbox of this instance.")))
	}
	return append(all, say("box", word("Its scripts run "+p.Placement.String()+", or not at all.")))
}

// DescribeRevoked says what a revoked profile granted.
func DescribeRevoked(p app.Profile, keys []KeyGrant, hosts []app.Host) []Sentence {
	ended := say("revoked", word("Revoked on "+app.FormatDay(p.RevokedAt)+". Nothing can use any of this any more."))
	return append([]Sentence{ended}, access(keys, hosts)...)
}

// DescribeChanged is DescribeGranted for a change of hosts. It marks the new ones.
func DescribeChanged(p app.Profile, keys []KeyGrant, hosts []app.Host) []Sentence {
	known := map[string]bool{noOthers: true}
	for _, s := range DescribeGranted(p, keys, app.AllowedHosts(p.Hosts)) {
		known[s.Text()] = true
	}
	all := DescribeGranted(p, keys, hosts)
	for i, s := range all {
		all[i].New = !known[s.Text()]
	}
	return all
}

// DescribeLeftOut describes requests not granted before a lock. It has no parts if there are none.
func DescribeLeftOut(requests []app.HostRequest) Sentence {
	var parts []Part
	for _, r := range requests {
		if r.Allowed {
			continue
		}
		if len(parts) > 0 {
			parts = append(parts, word(", "))
		}
		parts = append(parts, code(r.Brief()))
	}
	if len(parts) == 0 {
		return Sentence{}
	}
	parts = append([]Part{word("Requested but not allowed: ")}, parts...)
	return say("cancelled", append(parts, word(". The lock dismisses this; the agent can ask again."))...)
}

// Wishes describes an agent's requests for a key beyond its name, or "".
func Wishes(k app.Key) string {
	var wants []string
	if k.Mode != "" {
		wants = append(wants, string(k.Mode))
	}
	for _, h := range k.Hosts {
		wants = append(wants, "to be used at "+h.Brief())
	}
	return strings.Join(wants, ", ")
}

// noOthers closes the list of hosts and grants nothing itself.
const noOthers = "Scripts can reach no other hosts."

// access says which values and hosts scripts get.
func access(keys []KeyGrant, hosts []app.Host) []Sentence {
	var all []Sentence
	for _, k := range keys {
		all = append(all, keySentence(k, hosts))
	}
	if len(keys) == 0 {
		all = append(all, say("key", word("Scripts with this profile receive no credentials.")))
	}
	for _, h := range hosts {
		all = append(all, hostSentence(h, keys))
	}
	if len(hosts) == 0 {
		return append(all, say("globe", word("Scripts can reach no host at all.")))
	}
	return append(all, say("shield", word(noOthers)))
}

func keySentence(k KeyGrant, allowed []app.Host) Sentence {
	key := k.Key
	s := say("key", code(key.Name))
	if key.CredentialID == "" {
		s.Warn, s.Parts = true, append(s.Parts, word(" has no credential yet."))
		return s
	}
	if key.Credential != key.Name {
		s.Parts = append(s.Parts, word(" (the credential "), code(key.Credential), word(")"))
	}
	switch key.CredentialMode {
	case app.ModePlain:
		s.Icon = "plain"
		s.Parts = append(s.Parts,
			word(" is plain: not a secret. Scripts get it as it is, and it may appear in output."))
	case app.ModeSealed:
		s.Icon = "shield"
		s = sealedSentence(s, k, allowed)
	default:
		s.Warn, s.Icon = true, "warn"
		s.Parts = append(s.Parts, word(" is injected: scripts get the real value. "+
			"Redaction only stops accidents; a malicious script could still send it to any host below."))
	}
	if !key.ValueExists {
		s.Parts, s.Warn = append(s.Parts, word(" It has no value yet.")), true
	}
	return s
}

// sealedSentence says where a sealed key's value goes under this profile.
func sealedSentence(s Sentence, k KeyGrant, allowed []app.Host) Sentence {
	s.Parts = append(s.Parts, word(" is sealed: scripts never see its value. It goes only to "))
	reach := reachable(k, allowed)
	if len(reach) > 0 {
		s.Parts = append(append(s.Parts, hostParts(reach)...), word(", in "+placeWords(k.Places, k.Headers)))
		if slices.ContainsFunc(reach, isUnencrypted) {
			s.Parts, s.Warn = append(s.Parts, word(", also without encryption")), true
		}
		if len(app.HostWarnings(reach)) > 0 {
			s.Parts, s.Warn = append(s.Parts, word(", whoever owns the name")), true
		}
		s.Parts = append(s.Parts, word("."))
		return s
	}
	s.Warn = true
	where, plain := usable(k), k
	plain.PlainHTTP = true
	if refused := reachable(plain, allowed); len(refused) > 0 || len(where) == 0 {
		if len(refused) == 0 {
			refused = k.Where
		}
		s.Parts = append(append(s.Parts, hostParts(refused)...),
			word(", without encryption, which its credential does not permit: it can go nowhere."))
		return s
	}
	s.Parts = append(append(s.Parts, hostParts(where)...), word(", which scripts can't reach: it can go nowhere."))
	return s
}

func hostParts(hosts []app.Host) []Part {
	var parts []Part
	for i, h := range hosts {
		switch {
		case i > 0 && i == len(hosts)-1:
			parts = append(parts, word(" and "))
		case i > 0:
			parts = append(parts, word(", "))
		}
		parts = append(parts, code(h.WithPorts()))
	}
	return parts
}

// placeWords lists places in a sentence, such as: the header Cookie and the query.
func placeWords(places []app.Place, headers []string) string {
	words := []string{"the usual credential headers"}
	switch len(headers) {
	case 0:
	case 1:
		words[0] = "the header " + headers[0]
	default:
		words[0] = "the headers " + app.Enumerate(headers)
	}
	for _, p := range []app.Place{app.PlacePath, app.PlaceQuery, app.PlaceBody} {
		if slices.Contains(places, p) {
			words = append(words, "the "+string(p))
		}
	}
	return app.Enumerate(words)
}

func hostSentence(h app.Host, keys []KeyGrant) Sentence {
	terms := h.Terms(SealedHosts(keys))
	s := say("globe", word("Scripts can reach "), code(h.Name), word(terms+"."))
	if key := h.KeyReference(); key != "" {
		i := slices.IndexFunc(keys, func(k KeyGrant) bool { return k.Key.Name == key })
		if i < 0 || keys[i].Key.CredentialID != "" && keys[i].Key.CredentialMode != app.ModePlain {
			s = say("globe", word("Scripts reach nothing through "), code(h.Name),
				word(": the profile has no plain key of that name."))
			s.Warn = true
			return s
		}
		s.Parts = []Part{word("Scripts can reach the host that "), code(key), word(" names,")}
		switch {
		case keys[i].Vault != "":
			s.Warn = true
			s.Parts = append(s.Parts, word(" which Vault holds at "), code(keys[i].Vault), word(" and may change,"))
		case keys[i].Names != "":
			s.Parts = append(s.Parts, word(" "), code(keys[i].Names), word(","))
		}
		s.Parts = append(s.Parts, word(terms+"."))
	}
	if h.ReachesMany() {
		s.Icon = "warn"
	}
	s.Warn = s.Warn || h.Private || h.ReachesMany()
	return s
}

// HostWords says for lists what an entry lets scripts reach, with the host that a plain key names.
func HostWords(h app.Host, keys []KeyGrant) string {
	i := slices.IndexFunc(keys, func(k KeyGrant) bool { return k.Key.Name == h.KeyReference() })
	if i >= 0 && keys[i].Names != "" {
		h.Name += " (" + keys[i].Names + ")"
	}
	return h.Sentence(SealedHosts(keys))
}

// SealedHosts returns the hosts of a profile's sealed credentials. Airlock reads traffic there.
func SealedHosts(keys []KeyGrant) []app.Host {
	var all []app.Host
	for _, k := range keys {
		if k.Key.CredentialMode == app.ModeSealed {
			all = append(all, k.Where...)
		}
	}
	return all
}
