package main

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/computclaw/airlock/examples"
	"github.com/computclaw/airlock/examples/browser"
)

// walk is the whole flow. An error means a broken promise.
func walk(ctx context.Context, server *airlock, token string) error {
	agent := &agent{url: server.url}
	person := browser.New(server.url)

	say("1  The agent asks for what its script will need.")
	p, err := ask(ctx, agent)
	if err != nil {
		return err
	}
	say("   It tells the person: open %s", p.SetupURL)
	say("   and check that the page shows the pairing code %s.", p.PairingCode)

	say("\n2  The person opens that page, logs in, fills in the values and locks the profile.")
	if err := grant(ctx, person, p, server, token); err != nil {
		return err
	}

	say("\n3  The agent sees that the profile is locked, and submits its script.")
	if p, err = agent.untilLocked(ctx, p.ID); err != nil {
		return err
	}
	for _, k := range p.Keys {
		say("   %-18s value exists: %v", k.Name, k.ValueExists)
	}
	first, err := report(ctx, agent, p.ID)
	if err != nil {
		return err
	}

	say("\n4  The same script again: same code, same data, same numbers.")
	second, err := agent.execute(ctx, p.ID, examples.WeatherReport, map[string]int{"year": 2015}, answerByRule)
	if err != nil {
		return err
	}
	say("   result %s\n   result %s", first.Manifest.Result, second.Manifest.Result)
	if first.Manifest.Result == "" || first.Manifest.Result != second.Manifest.Result {
		return errors.New("two runs on the same data have different results")
	}

	say("\n5  A script that prints its token, plain and disguised.")
	if err := printToken(ctx, agent, p.ID); err != nil {
		return err
	}
	say("\n6  A script that carries the token to a host that nobody allowed.")
	if err := reachElsewhere(ctx, agent, p.ID); err != nil {
		return err
	}
	for _, form := range []string{token, hex.EncodeToString([]byte(token)),
		base64.StdEncoding.EncodeToString([]byte("user:" + token))} {
		if strings.Contains(agent.seen.String(), form) {
			return errors.New("the agent was told the token")
		}
	}
	say("\nIn all that the agent was told (%d bytes), the token does not occur, neither plain nor encoded.",
		agent.seen.Len())
	return nil
}

// ask creates a profile with the keys and hosts that the script needs, and why.
func ask(ctx context.Context, a *agent) (p profile, err error) {
	description := map[string]string{"description": "Weather reports for Seattle, read only"}
	if err := a.call(ctx, "POST", "/profiles", description, &p); err != nil {
		return p, err
	}
	keys := map[string]any{"keys": []map[string]string{
		{"name": "WEATHER_API_TOKEN", "description": "Token of the weather service"},
		{"name": "WEATHER_URL", "description": "Where the weather service is", "mode": "plain"},
	}}
	if err := a.call(ctx, "POST", "/profiles/"+p.ID+"/keys", keys, &p); err != nil {
		return p, err
	}
	hosts := map[string]any{"hosts": []map[string]string{{"host": weatherHost,
		"reason": "The observations come from there"}}}
	return p, a.call(ctx, "POST", "/profiles/"+p.ID+"/hosts", hosts, &p)
}

// personName is who the demo's person is.
const personName = "Demo"

// grant is the person's part, page by page.
func grant(ctx context.Context, person *browser.Person, p profile, server *airlock, token string) error {
	if err := person.Open(ctx, p.SetupURL); err != nil {
		return err
	}
	if err := person.Enroll(ctx, server.adminToken, personName, server.password); err != nil {
		return err
	}
	if err := keep(ctx, person, "WEATHER_API_TOKEN", token, "injected"); err != nil {
		return err
	}
	if err := keep(ctx, person, "WEATHER_URL", "http://"+weatherHost, "plain"); err != nil {
		return err
	}
	say("   Two credentials are stored. Their values can be replaced there, never read.")

	if err := person.Open(ctx, p.SetupURL); err != nil {
		return err
	}
	if shown := person.Reads("#pairing"); shown != p.PairingCode {
		return fmt.Errorf("the page shows the pairing code %q, the agent was given %q", shown, p.PairingCode)
	}
	say("   The pairing code matches.")
	if err := person.Press(ctx, "Save and review", url.Values{
		"link.WEATHER_API_TOKEN": {"WEATHER_API_TOKEN"},
		"link.WEATHER_URL":       {"WEATHER_URL"},
		"allow.0":                {"yes"},
	}); err != nil {
		return err
	}
	if !person.Shows("Lock the profile") {
		return fmt.Errorf("%s doesn't offer the lock: %s", person.At.Path, person.Reads("main"))
	}
	if err := person.Press(ctx, "Lock the profile", nil); err != nil {
		return err
	}
	say("   It is locked. From here on no key can be added, and only the person can change hosts.")
	return nil
}

// keep stores a credential. An earlier demo's gets the new value, which every profile then uses.
func keep(ctx context.Context, person *browser.Person, name, value, mode string) error {
	if err := person.Open(ctx, "/ui/credentials/"+name); err == nil {
		return person.Press(ctx, "Save changes", url.Values{"value": {value}})
	}
	if err := person.Open(ctx, "/ui/new-credential"); err != nil {
		return err
	}
	return person.Press(ctx, "Add credential", url.Values{"name": {name}, "value": {value}, "mode": {mode}})
}

// weather is the result of weather_report.py.
type weather struct {
	Year          int    `json:"year"`
	Days          int    `json:"days"`
	Precipitation string `json:"precipitation_mm"` // a Decimal comes as text, so that no digit is lost
	Summary       string `json:"summary"`
	Months        []struct {
		Month         string `json:"month"`
		Precipitation string `json:"precipitation_mm"`
		WetDays       int    `json:"wet_days"`
		Max           string `json:"mean_max_c"`
		Min           string `json:"mean_min_c"`
	} `json:"months"`
}

func report(ctx context.Context, a *agent, profileID string) (execution, error) {
	x, err := a.execute(ctx, profileID, examples.WeatherReport, map[string]int{"year": 2015},
		func(prompt string) string {
			say("   awaiting_llm: the script paused and asks: %s", strings.SplitN(prompt, "\n", 2)[0])
			say("   There is no language model in this demo; a rule stands in for the agent's own and picks two " +
				"facts from the prompt.")
			return answerByRule(prompt)
		})
	if err != nil {
		return x, err
	}
	if x.Status != "completed" {
		return x, fmt.Errorf("the report ended as %s: %s\n%s", x.Status, x.Error, x.Stderr)
	}
	var w weather
	if err := json.Unmarshal(x.Result, &w); err != nil {
		return x, fmt.Errorf("the report's result: %w", err)
	}
	say("   completed in %d ms, in a box of the backend %s (isolation: %s)\n", x.TimeMS, x.Backend, x.Isolation)
	for _, m := range w.Months {
		say("      %-10s %6s mm  %2d wet days  %5s to %4s °C", m.Month, m.Precipitation, m.WetDays, m.Min, m.Max)
	}
	say("      %-10d %6s mm  over %d days\n", w.Year, w.Precipitation, w.Days)
	say("      %s", w.Summary)
	// The sum of: awk -F, '/^2015/ {s += $2; n++} END {print s, n}'
	// examples/data/seattle-weather.csv
	if w.Precipitation != "1139.2" || w.Days != 365 || w.Summary == "" {
		return x, errors.New("the report's figures are not those of the dataset")
	}
	return x, nil
}

// answerByRule stands in for a language model: it names the wettest and driest month.
func answerByRule(prompt string) string {
	var wettest, driest string
	var most, least float64
	for _, m := range regexp.MustCompile(`(?m)^(\w+): ([0-9.]+) mm`).FindAllStringSubmatch(prompt, -1) {
		var mm float64
		if _, err := fmt.Sscan(m[2], &mm); err != nil {
			continue
		}
		if wettest == "" || mm > most {
			wettest, most = m[1], mm
		}
		if driest == "" || mm < least {
			driest, least = m[1], mm
		}
	}
	return fmt.Sprintf("The wettest month was %s with %.1f mm. The driest was %s with %.1f mm.", wettest, most, driest,
		least)
}

func printToken(ctx context.Context, a *agent, profileID string) error {
	x, err := a.execute(ctx, profileID, examples.PrintToken, nil, answerByRule)
	if err != nil {
		return err
	}
	for _, line := range strings.Split(strings.TrimSpace(x.Stdout+x.Stderr), "\n") {
		say("      %s", line)
	}
	say("      result %s", x.Result)
	say("   %s, with %d places redacted", x.Status, x.Redactions)
	if x.Status != "completed" || x.Redactions == 0 || !strings.Contains(x.Stdout, "[REDACTED") {
		return fmt.Errorf("nothing was redacted: %s %s", x.Status, x.Error)
	}
	return nil
}

func reachElsewhere(ctx context.Context, a *agent, profileID string) error {
	x, err := a.execute(ctx, profileID, examples.ReachElsewhere, nil, answerByRule)
	if err != nil {
		return err
	}
	say("   %s: %s", x.Status, strings.SplitN(x.Error, "\n", 2)[0])
	for _, c := range x.Network {
		if c.Verdict == "denied" && c.Host == "collector.example" {
			say("   %s was denied: %s", c.Host, c.Rule)
			say("   hint: %s", c.Hint)
			return nil
		}
	}
	return fmt.Errorf("the ledger has no denial of collector.example: %+v", x.Network)
}
