package views

import (
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
)

// Part is a piece of a sentence; code is a name the person recognises letter by letter.
type Part struct {
	Text string
	Code bool
}

// Sentence says one thing that a profile grants or that bounds it.
type Sentence struct {
	Icon  string
	Warn  bool // worth a second look before the lock
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

func say(icon string, parts ...Part) Sentence { return Sentence{Icon: icon, Parts: parts} }
func word(text string) Part                   { return Part{Text: text} }
func code(text string) Part                   { return Part{Text: text, Code: true} }

// Grants says what a profile grants, one sentence per line: values, hosts, and until when. The same sentences stand before the lock and
// after it. hosts are the allowed ones.
func Grants(keys []app.Key, hosts []app.Host, expires time.Time) []Sentence {
	var all []Sentence
	for _, k := range keys {
		all = append(all, keySentence(k))
	}
	if len(keys) == 0 {
		all = append(all, say("key", word("Scripts with this profile receive no credentials.")))
	}
	for _, h := range hosts {
		all = append(all, hostSentence(h))
	}
	if len(hosts) == 0 {
		all = append(all, say("globe", word("They can reach no host at all.")))
	} else {
		all = append(all, say("shield", word("They can reach nothing else.")))
	}
	return append(all, untilSentence(expires))
}

func keySentence(k app.Key) Sentence {
	if k.CredentialID == "" {
		s := say("key", code(k.Name), word(" has no credential yet."))
		s.Warn = true
		return s
	}
	s := say("key", word("Scripts receive "), code(k.Name))
	if k.Credential != k.Name {
		s.Parts = append(s.Parts, word(" from the credential "), code(k.Credential))
	}
	switch k.CredentialMode {
	case app.ModePlain:
		s.Parts = append(s.Parts, word(" as plain text. It is not a secret and may appear in output."))
	case app.ModeSealed:
		s.Parts = append(s.Parts, word(" as a placeholder. The value itself is put in on the way to its hosts."))
	default:
		s.Parts = append(s.Parts, word(" with its real value. Airlock masks it in whatever they print or return."))
	}
	if !k.ValueExists {
		s.Parts, s.Warn = append(s.Parts, word(" It has no value yet.")), true
	}
	return s
}

func hostSentence(h app.Host) Sentence {
	s := say("globe", word("They can reach "), code(h.Name), word(" "+ports(h)))
	switch key := h.KeyReference(); {
	case key != "":
		s.Parts = []Part{word("They can reach the host that "), code(key), word(" names, " + ports(h))}
	case strings.HasPrefix(h.Name, "*."):
		s.Parts[2].Text = ", every name below it, " + ports(h)
	}
	if h.Private {
		s.Parts, s.Warn = append(s.Parts, word(", also where it leads to a private address in your network")), true
	}
	s.Parts = append(s.Parts, word("."))
	return s
}

func untilSentence(expires time.Time) Sentence {
	if expires.IsZero() {
		return say("clock", word("This has no end date. You can revoke it at any moment."))
	}
	return say("clock", word("This ends on "+Day(expires)+"."))
}

// AllowedHosts are the hosts among the requests that a person said yes to.
func AllowedHosts(requests []app.HostRequest) []app.Host {
	var hosts []app.Host
	for _, r := range requests {
		if r.Allowed {
			hosts = append(hosts, r.Host)
		}
	}
	return hosts
}
