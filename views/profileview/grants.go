package profileview

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
)

// KeyGrant is a key with what its credential lets scripts do.
type KeyGrant struct {
	Key app.Key
	// Of a sealed credential only.
	Where     []app.Host // where the value may go, as far as this profile's key may use it
	Places    []app.Place
	Headers   []string // that the credential names; the usual ones if empty
	PlainHTTP bool
	// Of a plain credential only: the host that its value names, "" if there is no such value; and
	// the reference of a value in Vault, which can name another host at each execution.
	Names, Vault string
}

// Grants says what a profile grants: values, hosts and until when. The same sentences stand before
// the lock and after it. hosts are the allowed ones.
func Grants(keys []KeyGrant, hosts []app.Host, expires time.Time) []Sentence {
	return append(Access(keys, hosts), untilSentence(expires))
}

// Revoked says what became of what a profile granted.
func Revoked(at time.Time) []Sentence {
	return []Sentence{say("revoked", word("Revoked on "+format.Day(at)+". Nothing can use any of this any more."))}
}

// Access is Grants without its end.
func Access(keys []KeyGrant, hosts []app.Host) []Sentence {
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
		all = append(all, say("globe", word("Scripts can reach no host at all.")))
	} else {
		all = append(all, say("shield", word(noOthers)))
	}
	return all
}

// noOthers closes the list of hosts and grants nothing itself.
const noOthers = "Scripts can reach no other hosts."

// Changes is Grants for hosts that are about to change. It marks sentences that before did not
// grant.
func Changes(keys []KeyGrant, hosts, before []app.Host, expires time.Time) []Sentence {
	known := map[string]bool{noOthers: true}
	for _, s := range Grants(keys, before, expires) {
		known[s.Text()] = true
	}
	all := Grants(keys, hosts, expires)
	for i, s := range all {
		all[i].New = !known[s.Text()]
	}
	return all
}

func keySentence(k KeyGrant, allowed []app.Host) Sentence {
	key := k.Key
	if key.CredentialID == "" {
		s := say("key", code(key.Name), word(" has no credential yet."))
		s.Warn = true
		return s
	}
	s := say(components.ModeIcon(key.CredentialMode), code(key.Name))
	if key.Credential != key.Name {
		s.Parts = append(s.Parts, word(" (the credential "), code(key.Credential), word(")"))
	}
	switch key.CredentialMode {
	case app.ModePlain:
		s.Parts = append(s.Parts,
			word(" is plain: not a secret. Scripts get it as it is, and it may appear in output."))
	case app.ModeSealed:
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

// sealedSentence says where the value of a sealed key goes under this profile.
func sealedSentence(s Sentence, k KeyGrant, allowed []app.Host) Sentence {
	s.Parts = append(s.Parts, word(" is sealed: scripts never see its value. It goes only to "))
	reach := reachable(k, allowed)
	if len(reach) > 0 {
		s.Parts = append(append(s.Parts, hostParts(reach)...), word(", in "+components.PlaceWords(k.Places, k.Headers)))
		if slices.ContainsFunc(reach, unencrypted) {
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
		parts = append(parts, code(withPorts(h)))
	}
	return parts
}

// withPorts is a host with its ports, also the usual ones: api.example.com:443.
func withPorts(h app.Host) string {
	words := make([]string, len(h.Ports))
	for i, p := range h.Ports {
		words[i] = strconv.Itoa(p)
	}
	h.Ports = []int{1}
	return strings.TrimSuffix(h.String(), "1") + strings.Join(words, ",")
}

func hostSentence(h app.Host, keys []KeyGrant) Sentence {
	terms := h.Terms(sealedHosts(keys))
	s := say("globe", word("Scripts can reach "), code(h.Name), word(terms+"."))
	if key := h.KeyReference(); key != "" {
		i := slices.IndexFunc(keys, func(k KeyGrant) bool { return k.Key.Name == key })
		if i < 0 || keys[i].Key.CredentialID != "" && keys[i].Key.CredentialMode != app.ModePlain {
			return Sentence{Icon: "globe", Warn: true, Parts: []Part{
				word("Scripts reach nothing through "), code(h.Name), word(": the profile has no plain key of " +
					"that name."),
			}}
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

// sealedHosts returns the hosts of a profile's sealed credentials. Airlock reads what passes there.
func sealedHosts(keys []KeyGrant) []app.Host {
	var all []app.Host
	for _, k := range keys {
		if k.Key.CredentialMode == app.ModeSealed {
			all = append(all, k.Where...)
		}
	}
	return all
}

func untilSentence(expires time.Time) Sentence {
	if expires.IsZero() {
		return say("clock", word("The profile has no end date. You can revoke it at any moment."))
	}
	return say("clock", word("The profile ends on "+format.Day(expires)+"."))
}

// Requested says which hosts an agent asks for and nobody has allowed.
func Requested(keys []KeyGrant, requests []app.HostRequest) []Sentence {
	var all []Sentence
	for _, r := range requests {
		if !r.Allowed {
			all = append(all, say("person", code(r.Name), word(r.Terms(sealedHosts(keys))+".")))
		}
	}
	return all
}

// leftOut says before a lock what was asked for and is not granted; it has no parts if all is.
func leftOut(requests []app.HostRequest) Sentence {
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
