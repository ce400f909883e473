package transfer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/policy"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/app/transfer/content"
)

// Field is something that an import would set, in words.
type Field struct {
	Name string
	Here string // as it is here; "" if it is not
	File string // as the file has it; "" if it has not
}

// String says what an import would do with the field.
func (f Field) String() string {
	switch {
	case f.Here == "":
		return f.Name + ": " + f.File
	case f.File == "":
		return f.Name + ": no longer " + f.Here
	}
	return f.Name + ": " + f.File + " instead of " + f.Here
}

// fact is a property of an item. Lists are several facts of one name.
type fact struct {
	name string
	text string // what is compared
	say  string // what people read; "" is the text
}

func (f fact) words() string { return app.Clip(cmp.Or(f.say, f.text), 1000) }

// diff returns the fields in which two sides differ. Facts without a text are ignored.
func diff(here, file []fact) (fields []Field) {
	var names []string
	for _, f := range slices.Concat(file, here) {
		if !slices.Contains(names, f.name) {
			names = append(names, f.name)
		}
	}
	for _, name := range names {
		more, less := factsOnlyIn(file, here, name), factsOnlyIn(here, file, name)
		if len(more) == 1 && len(less) == 1 {
			fields = append(fields, Field{Name: name, Here: less[0].words(), File: more[0].words()})
			continue
		}
		for _, f := range more {
			fields = append(fields, Field{Name: name, File: f.words()})
		}
		for _, f := range less {
			fields = append(fields, Field{Name: name, Here: f.words()})
		}
	}
	return fields
}

func factsOnlyIn(list, others []fact, name string) (only []fact) {
	for _, f := range list {
		if f.name == name && f.text != "" &&
			!slices.ContainsFunc(others, func(o fact) bool { return o.name == name && o.text == f.text }) {
			only = append(only, f)
		}
	}
	return only
}

// hostFacts returns a fact for each host.
func hostFacts(name string, list []app.Host, say func(app.Host) string) (facts []fact) {
	for _, h := range list {
		f := fact{name: name, text: h.Brief()}
		if say != nil {
			f.say = say(h)
		}
		facts = append(facts, f)
	}
	return facts
}

// credentialFacts describes a credential without its value.
func credentialFacts(c content.Credential) []fact {
	facts := append([]fact{
		{name: "Mode", text: string(c.Mode)},
		{name: "Service", text: c.Service},
		{name: "Description", text: c.Description},
	}, hostFacts("Host", c.Hosts, nil)...)
	if c.Mode == app.ModeSealed {
		facts = append(facts, sealedFacts(c)...)
	}
	if c.Source == app.SourceVault {
		facts = append(facts, fact{name: "Value", text: "read from the Vault of this instance: " + c.Reference})
	}
	return append(facts, fact{name: "Value names the host", text: hostNamed(c)})
}

// sealedFacts says where the value of a sealed credential is put.
func sealedFacts(c content.Credential) (facts []fact) {
	for _, place := range c.Places {
		facts = append(facts, fact{name: "Put into", text: "the " + string(place) + " of requests"})
	}
	for _, header := range c.Headers {
		facts = append(facts, fact{name: "Header", text: header})
	}
	if c.PlainHTTP {
		facts = append(facts, fact{name: "Unencrypted HTTP", text: "allowed"})
	}
	return facts
}

// sameValue reports whether both credentials have the same value or none.
func sameValue(a, b content.Credential) bool {
	if a.Value == nil || b.Value == nil {
		return a.Value == b.Value
	}
	return app.NewSecret(*a.Value).Equal(app.NewSecret(*b.Value))
}

// hostNamed returns the host in a plain credential's value; "" if there is none.
func hostNamed(c content.Credential) string {
	if c.Value == nil {
		return ""
	}
	return policy.HostNamed(c.Mode, app.NewSecret(*c.Value))
}

// side looks up a profile's credentials: in the file or this instance.
type side func(id string) (content.Credential, bool)

// name is the name of a credential.
func (s side) name(id string) string {
	if c, ok := s(id); ok {
		return c.Name
	}
	return "a credential that was deleted"
}

// profileFacts describes a profile. policy counts if it is locked.
func profileFacts(p content.Profile, policy app.Policy, s side) []fact {
	state, expires := "being set up", "never"
	if p.Locked {
		state = "locked"
	}
	if p.Revoked {
		state = "revoked"
	}
	if p.ExpiresAt > 0 {
		expires = moment(p.ExpiresAt)
	}
	facts := []fact{
		{name: "Name", text: p.Description},
		{name: "State", text: state},
		{name: "Expires", text: expires},
		{name: "Scripts", text: p.MayRun, say: app.MayRun(p.MayRun).Sentence()},
	}
	if !p.Locked {
		policy = app.Policy{Hosts: p.AllowedHosts(), Placement: p.Placement()}
		for _, k := range p.Keys {
			policy.Keys = append(policy.Keys, app.Grant{Key: k.Name, Mode: k.Mode, Hosts: k.Hosts, CredentialID: k.Credential})
		}
		for _, h := range p.Hosts {
			if !h.Allowed {
				facts = append(facts, fact{name: "Requested host", text: h.Host.Brief()})
			}
		}
	}
	for _, g := range policy.Keys {
		text := "none yet"
		if g.CredentialID != "" {
			text = s.name(g.CredentialID)
		}
		if len(g.Hosts) > 0 {
			text += ", for " + app.BriefHosts(g.Hosts)
		}
		facts = append(facts, fact{name: "Key " + g.Key + " gets", text: text})
	}
	keys := s.grants(policy)
	say := func(h app.Host) string { return profiles.HostWords(h, keys) }
	facts = append(facts, hostFacts("Reaches", policy.Hosts, say)...)
	return append(facts, fact{name: "Runs", text: cmp.Or(policy.Placement.String(), "wherever the instance runs scripts")})
}

// grants returns what a policy's keys grant. The credential's mode counts; the policy has the one
// at the lock.
func (s side) grants(policy app.Policy) (keys []profiles.KeyGrant) {
	for _, g := range policy.Keys {
		if c, ok := s(g.CredentialID); ok {
			key := app.Key{Name: g.Key, CredentialMode: c.Mode}
			keys = append(keys, profiles.KeyGrant{Key: key, Where: app.Within(g.Hosts, c.Hosts), Names: hostNamed(c)})
		}
	}
	return keys
}

// keysText returns equal texts for locked profiles with the same keys.
func keysText(keys []content.Key, s side) string {
	var lines []string
	for _, k := range keys {
		credential := ""
		if k.Credential != "" {
			credential = s.name(k.Credential)
		}
		lines = append(lines, fmt.Sprintf("%s %s %s %q", k.Name, k.Mode, app.BriefHosts(k.Hosts), credential))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// skillFacts describes a skill. profile names profiles by handle; "" leaves one out.
func skillFacts(s content.Skill, profile func(handle string) string) (facts []fact) {
	if !s.Enabled {
		facts = append(facts, fact{name: "State", text: "switched off"})
	}
	for _, v := range s.Versions {
		if !v.Kept {
			continue
		}
		state := v.State
		if skills.State(state) == skills.Quarantined {
			state = "not reviewed"
		}
		facts = append(facts, fact{name: "Version " + v.Digest, text: state})
	}
	for _, g := range s.Profiles {
		facts = append(facts, fact{name: "Runs for the profile", text: g.Profile, say: profile(g.Profile)})
	}
	return facts
}

func moment(ms int64) string { return time.UnixMilli(ms).UTC().Format(time.RFC3339) }
