package api

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	appskills "github.com/computclaw/airlock/app/skills"
)

type skillView struct {
	Name        string          `json:"name"`
	Version     int             `json:"version" about:"counts the uploads"`
	Label       string          `json:"label,omitempty" about:"the author's version"`
	Digest      string          `json:"digest" about:"of the files"`
	State       string          `json:"state"`
	Enabled     bool            `json:"enabled" about:"false while a person has switched it off"`
	Runs        bool            `json:"runs" about:"it is what POST /execute runs by the name alone"`
	Reason      string          `json:"reason,omitempty" about:"why it was revoked"`
	NextStep    string          `json:"next_step,omitempty" about:"while it is quarantined: what to ask the person"`
	Description string          `json:"description"`
	Keys        []string        `json:"keys,omitempty" about:"names of credentials that it needs"`
	Hosts       []string        `json:"hosts,omitempty" about:"that it needs"`
	UploadedAt  time.Time       `json:"uploaded_at"`
	InputSchema json.RawMessage `json:"input_schema,omitempty" about:"JSON Schema of its inputs"`
	Example     *skillExample   `json:"example,omitempty" about:"of POST /execute"`
	Facts       json.RawMessage `json:"facts,omitempty" schema:"Facts" about:"of the first version"`
	Missing     []string        `json:"missing,omitempty" about:"that your profile's sandbox lacks: modules, image"`
}

// skillExample is a body of POST /execute.
type skillExample struct {
	Skill  string          `json:"skill"`
	Inputs json.RawMessage `json:"inputs,omitempty"`
}

type skillsView struct {
	Skills []skillView `json:"skills"`
}

// viewSkills shows versions, with details also how to run them. base is Airlock's address.
func viewSkills(base string, list []appskills.Version, details bool) skillsView {
	view := skillsView{Skills: []skillView{}}
	for _, v := range list {
		one := skillView{
			Name: v.Name, Version: v.Number, Label: v.Label, Digest: v.Digest, State: string(v.State), Enabled: v.Enabled,
			Runs: v.Runs, Reason: v.Reason, Description: v.Description, Keys: v.Manifest.Keys, UploadedAt: v.Uploaded,
		}
		if v.State == appskills.Quarantined {
			one.NextStep = fmt.Sprintf("A person has to approve it before it runs. Ask them to open %s/ui/skills/%s?version=%d",
				base, v.Name, v.Number)
		}
		for _, h := range v.Manifest.Hosts {
			one.Hosts = append(one.Hosts, h.String())
		}
		if details {
			one.Example = &skillExample{fmt.Sprintf("%s@%d", v.Name, v.Number), v.Manifest.ExampleInputs()}
			if v.Manifest.InputSchema != "" {
				one.InputSchema = json.RawMessage(v.Manifest.InputSchema)
			}
		}
		view.Skills = append(view.Skills, one)
	}
	return view
}

// showSkills shows versions to a profile's agent, with the profile's secrets masked.
func (h *Handlers) showSkills(c echo.Context, p app.Profile, list []appskills.Version,
	details bool) (skillsView, error) {
	view := viewSkills(h.Origins.BaseURL(c.Request()), list, details)
	texts := make([]string, 0, 4*len(list))
	for _, v := range view.Skills {
		var example json.RawMessage
		if v.Example != nil {
			example = v.Example.Inputs
		}
		texts = append(texts, v.Description, v.Label, string(v.InputSchema), string(example))
	}
	masked, all, err := h.Engine.Submitter.Mask(c.Request().Context(), p, texts)
	if err != nil {
		return view, err
	}
	for i := range view.Skills {
		v := &view.Skills[i]
		if !all { // nobody can tell what to mask
			v.Description = "Not shown: the values in Vault were not read yet. Ask again later."
			v.Label, v.InputSchema, v.Example = "", nil, nil
			continue
		}
		v.Description, v.Label, v.InputSchema = masked[4*i].String(), masked[4*i+1].String(), maskedJSON(masked[4*i+2])
		if v.Example != nil {
			v.Example.Inputs = maskedJSON(masked[4*i+3])
		}
	}
	return view, nil
}

// maskedJSON returns masked JSON, or nil if masking broke it.
func maskedJSON(text redact.Clean) json.RawMessage {
	if raw := []byte(text.String()); json.Valid(raw) {
		return raw
	}
	return nil
}

// showDetails shows versions in full, and the facts of the first.
func (h *Handlers) showDetails(c echo.Context, p app.Profile, list []appskills.Version) (skillsView, error) {
	view, err := h.showSkills(c, p, list, true)
	if err != nil {
		return view, err
	}
	if view.Skills[0].Facts, err = h.skillFacts(c, p, list[0]); err != nil {
		return view, err
	}
	for i, v := range list {
		view.Skills[i].Missing = h.Engine.Skills.MissingNeeds(v, p.Placement)
	}
	return view, nil
}

// skillFacts returns the findings of a file scan, masked for the profile. It returns nil if the
// secrets to mask are unknown.
func (h *Handlers) skillFacts(c echo.Context, p app.Profile, v appskills.Version) (json.RawMessage, error) {
	facts, known := h.Engine.Skills.Scanned(v.Digest)
	if !known {
		b, release, err := h.openSkill(c, p, v)
		if err != nil {
			return nil, err
		}
		facts = h.Engine.Skills.Scan(*b)
		release()
	}
	text, err := json.Marshal(facts)
	if err != nil {
		return nil, err
	}
	masked, all, err := h.Engine.Submitter.Mask(c.Request().Context(), p, []string{string(text)})
	if err != nil || !all {
		return nil, err
	}
	return maskedJSON(masked[0]), nil
}
