package app

import (
	"reflect"
	"strings"
	"testing"
)

func TestSentence(t *testing.T) {
	sealed := []Host{{Name: "api.example", Ports: []int{80, 443, 8443}}, {Name: "*.wild.example", Ports: []int{443}}}
	const unread, guessed = ": Airlock can't check the server name, the requests or the answers",
		": Airlock may be unable to check the server name, the requests or the answers"
	const unknown = ": Airlock checks the name, but not always who answers"
	for _, c := range []struct {
		entry    string
		protocol Protocol
		private  bool
		sentence string
		brief    string
	}{
		{"cdn.example", "", false, "cdn.example on ports 80 and 443" + unknown, "cdn.example"},
		{"cdn.example:443", ProtocolTCP, false, "cdn.example on port 443 over raw TCP" + unread,
			"cdn.example:443 (over raw TCP)"},
		{"cdn.example:443", ProtocolHTTP, false, "cdn.example on port 443 over HTTP without encryption" + unknown,
			"cdn.example:443 (over HTTP without encryption)"},
		{"cdn.example:80", ProtocolHTTPS, false, "cdn.example on port 80 over HTTPS" + unknown,
			"cdn.example:80 (over HTTPS)"},
		{"db.example:5432", "", false, "db.example on port 5432 over raw TCP" + guessed, "db.example:5432"},
		{"db.example:5432", ProtocolPostgres, true,
			"db.example on port 5432 as PostgreSQL, including private addresses in your network" + unread,
			"db.example:5432 (as PostgreSQL, including private addresses)"},
		{"x.example:443,22,23", "", false, "x.example on port 443 and on ports 22 and 23 over raw TCP" + guessed + " there",
			"x.example:22,23,443"},
		{"*.example.org", "", false, "*.example.org, every name below it, on ports 80 and 443" + unknown, "*.example.org"},
		{"*.co.uk", "", false, "*.co.uk, every name below it, whoever owns it, on ports 80 and 443" + unknown, "*.co.uk"},
		{"{DB}:1521", "", false, "{DB} on port 1521 over raw TCP" + guessed, "{DB}:1521"},
		{"api.example", "", false, "api.example on ports 80 and 443", "api.example"},
		{"api.example:8443", "", false, "api.example on port 8443", "api.example:8443"},
		{"api.example:8443", ProtocolTCP, false, "api.example on port 8443 over raw TCP" + unread,
			"api.example:8443 (over raw TCP)"},
		{"a.wild.example:443", "", false, "a.wild.example on port 443", "a.wild.example:443"},
		{"wild.example:443", "", false, "wild.example on port 443" + unknown, "wild.example:443"},
	} {
		h, err := ParseHost(c.entry)
		if err != nil {
			t.Fatal(err)
		}
		h.Protocol, h.Private = c.protocol, c.private
		if got := h.Sentence(sealed); got != c.sentence {
			t.Errorf("%s %s: %q, not %q", c.entry, c.protocol, got, c.sentence)
		}
		if got := h.Brief(); got != c.brief {
			t.Errorf("%s %s: %q, not %q", c.entry, c.protocol, got, c.brief)
		}
	}
}

// TestHoleH3EveryFieldOfAHostIsInItsSentence: a person reads all that an entry grants, also later
// fields.
func TestHoleH3EveryFieldOfAHostIsInItsSentence(t *testing.T) {
	others := map[string][]any{
		"Name":     {"other.example", "*.cdn.example", "{KEY}"},
		"Ports":    {[]int{443}, []int{80, 8443}, []int{80, 443, 8443}},
		"Protocol": {ProtocolHTTP, ProtocolHTTPS, ProtocolPostgres, ProtocolTCP},
		"Private":  {true},
	}
	outside := map[string]string{"Reason": "the words of whoever asked: they stand beside the sentence, marked as " +
		"theirs, and grant nothing"}
	plain := Host{Name: "cdn.example", Ports: []int{80, 443}}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Host]()) {
		if outside[f.Name] != "" {
			continue
		}
		if len(others[f.Name]) == 0 {
			t.Errorf("%s: say what it may be, and that the sentence tells it", f.Name)
		}
		sentences, briefs := map[string]any{plain.Sentence(nil): "nothing"}, map[string]any{plain.Brief(): "nothing"}
		for _, value := range others[f.Name] {
			h := plain
			reflect.ValueOf(&h).Elem().FieldByIndex(f.Index).Set(reflect.ValueOf(value))
			if same, twice := sentences[h.Sentence(nil)]; twice {
				t.Errorf("%s %v reads like %v: %s", f.Name, value, same, h.Sentence(nil))
			}
			if same, twice := briefs[h.Brief()]; twice {
				t.Errorf("%s %v reads like %v: %s", f.Name, value, same, h.Brief())
			}
			sentences[h.Sentence(nil)], briefs[h.Brief()] = value, value
		}
	}
}

func TestHoleH3RelaysOfTheWebAreNotAskedFor(t *testing.T) {
	for text, protocols := range map[string]map[Protocol]bool{
		"cdn.example": {"": true, ProtocolHTTP: true, ProtocolHTTPS: true, ProtocolTCP: false,
			ProtocolPostgres: false},
		"cdn.example:443": {"": true, ProtocolHTTP: true, ProtocolHTTPS: true, ProtocolTCP: false,
			ProtocolPostgres: false},
		"*.cdn.example:80":     {"": true, ProtocolTCP: false, ProtocolPostgres: false},
		"{KEY}:22,443":         {"": true, ProtocolTCP: false},
		"[2001:db8::1]:443,22": {"": true, ProtocolTCP: false},
		"db.example:5432":      {"": true, ProtocolTCP: true, ProtocolPostgres: true},
	} {
		for protocol, ok := range protocols {
			h, err := ParseHost(text)
			if err != nil {
				t.Fatal(err)
			}
			h.Protocol = protocol
			err = h.CheckAskable()
			if (err == nil) != ok {
				t.Errorf("%s %s: %v", text, protocol, err)
			}
			if e, _ := err.(*Error); e != nil && (e.Code != CodeInvalidField || e.Field != "protocol" || !strings.Contains(e.Message, string(protocol)) || e.Hint == "") { //nolint:errorlint // as Invalid returns it
				t.Errorf("%s %s: %+v", text, protocol, e)
			}
		}
	}
}
