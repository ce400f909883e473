package mcp

import (
	"encoding/json"
	"fmt"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/client"
)

// pending is the part of a profile that waits for a person.
type pending struct {
	State   app.State `json:"state"`
	URL     string    `json:"setup_url"`
	Pairing string    `json:"pairing_code"`
	Keys    []struct {
		Exists bool `json:"value_exists"`
	} `json:"keys"`
}

// readPending reads an answer. An answer without a profile waits for nobody.
func readPending(got client.Answer) (p pending) {
	if json.Unmarshal(got.Text, &p) != nil {
		return pending{}
	}
	return p
}

// advice tells the model what to ask of the person, and where; else "".
func (p pending) advice() string {
	const next = ". Then call read_profile, which waits for it."
	if p.State == app.StateUnlocked {
		return fmt.Sprintf("A person has to act: give them %s and the pairing code %s, for them to fill in the values and "+
			"press Lock", p.URL, p.Pairing) + next
	}
	for _, k := range p.Keys {
		if p.State == app.StateLocked && !k.Exists {
			return "A person has to act: give them " + p.URL + ", for them to set the missing value" + next
		}
	}
	return ""
}
