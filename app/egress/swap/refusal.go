package swap

import (
	"fmt"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/secrets"
)

// The rules by which a request is refused.
const (
	RuleHost     = "placeholder for another host"
	RulePlain    = "sealed value over plain HTTP"
	RulePlace    = "sealed value in a place not allowed"
	RuleHeader   = "sealed value in a header not allowed"
	RuleEncoded  = "placeholder encoded"
	RuleUnknown  = "stale or foreign placeholder"
	RuleValue    = "sealed value does not fit"
	RuleBody     = "body not readable"
	RuleTooLarge = "body too large to swap"
)

// Refusal says why a request must not be sent. It holds no secret and no placeholder.
type Refusal struct {
	Key     string // the credential's key; "" if the rule is about none
	Rule    string // one of the Rule constants
	Message string // one sentence for the agent
	Hint    string // what to do next
}

func (r *Refusal) Error() string { return r.Message }

// maxShownHosts is how many hosts a message names.
const maxShownHosts = 8

func refuseHost(c *secrets.Resolved, host string) *Refusal {
	if len(c.Hosts) == 0 {
		return &Refusal{c.Key, RuleHost,
			fmt.Sprintf("the placeholder of %s was bound for %s, but it may go to no host at present", c.Key, host),
			"Ask the person to look at the hosts of this key in Airlock."}
	}
	var hosts []string
	for _, h := range c.Hosts[:min(len(c.Hosts), maxShownHosts)] {
		hosts = append(hosts, h.String())
	}
	if more := len(c.Hosts) - len(hosts); more > 0 {
		hosts = append(hosts, fmt.Sprintf("and %d more", more))
	}
	return &Refusal{c.Key, RuleHost,
		fmt.Sprintf("the placeholder of %s was bound for %s, but it belongs to %s",
			c.Key, host, strings.Join(hosts, ", ")),
		fmt.Sprintf("Send %s to its own host only. "+
			"If it should go elsewhere too, ask the person to add that host to the credential in Airlock.", c.Key)}
}

func refusePlain(c *secrets.Resolved, host string) *Refusal {
	return &Refusal{c.Key, RulePlain,
		fmt.Sprintf("%s was bound for %s over plain HTTP, where anybody on the way could read it", c.Key, host),
		"Use https. If the host speaks plain HTTP only, ask the person to tick plain HTTP for this credential in Airlock."}
}

func refusePlace(c *secrets.Resolved, at where) *Refusal {
	if at.place == app.PlaceHeader {
		return refuseHeader(c, at)
	}
	r := &Refusal{Key: c.Key, Rule: RulePlace, Message: fmt.Sprintf(
		"%s stands in %s, where it may not be put in", c.Key, at.text)}
	if at.place == "" {
		r.Hint = "No credential can stand there. Send it in a header, such as Authorization."
		return r
	}
	r.Hint = fmt.Sprintf("Send it in a header, such as Authorization, "+
		"or ask the person to tick the place %q for this credential in Airlock.", at.place)
	return r
}

// maxShownHeaders is how many headers a hint names.
const maxShownHeaders = 5

func refuseHeader(c *secrets.Resolved, at where) *Refusal {
	r := &Refusal{Key: c.Key, Rule: RuleHeader, Message: fmt.Sprintf(
		"%s stands in %s, which is not one of its headers", c.Key, at.text)}
	r.Hint = "Send it in another place that its credential allows"
	if n := len(c.Headers); n > 0 {
		r.Hint = "Send it in one of its headers: " + strings.Join(c.Headers[:min(n, maxShownHeaders)], ", ")
		if n > maxShownHeaders {
			r.Hint += fmt.Sprintf(" and %d more", n-maxShownHeaders)
		}
	}
	if app.UnfitHeader(at.header) {
		r.Message = fmt.Sprintf(
			"%s stands in %s, which servers and proxies log, route by or read the message by", c.Key, at.text)
		r.Hint += ". No sealed value can stand in " + at.header + "."
		return r
	}
	r.Hint += fmt.Sprintf(". Or ask the person to add %s to the headers of this credential, on its page in Airlock.",
		at.header)
	return r
}

func refuseEncoded(c *secrets.Resolved, at where) *Refusal {
	return &Refusal{c.Key, RuleEncoded,
		fmt.Sprintf("the placeholder of %s stands in %s encoded or changed, so it can't be replaced", c.Key, at.text),
		"Write the text of settings.get(...) there as it is: not in base64, hex, escapes, UTF-16 or capitals. " +
			"Authorization: Basic is encoded as usual."}
}

func refuseUnknown(at where, host string) *Refusal {
	return &Refusal{"", RuleUnknown, fmt.Sprintf("%s holds a stale or foreign placeholder, bound for %s", at.text, host),
		"Read the key again with settings.get(...) in this script. " +
			"Placeholders of other profiles or of earlier values can't be used."}
}

func refuseValue(c *secrets.Resolved, at where, why string) *Refusal {
	return &Refusal{c.Key, RuleValue,
		fmt.Sprintf("the value of %s can't stand in %s: %s", c.Key, at.text, why),
		"Send it in another place, or ask the person to check the value."}
}

func refuseBody(rule, why, hint string) *Refusal { return &Refusal{"", rule, why, hint} }

func refuseTooLarge(key string) *Refusal {
	return &Refusal{key, RuleTooLarge,
		fmt.Sprintf("placeholders can only be replaced in a body of at most %d bytes without Content-Encoding, "+
			"and their values may have at most %d bytes together", app.MaxSwappedBody, maxValues),
		"Send the credential in a header, or send a smaller body without Content-Encoding."}
}

// where is a part of a request.
type where struct {
	place  app.Place // "" if no value can be put in there
	text   string    // for messages, such as "the query"
	header string    // of a header: its name in canonical spelling
}
