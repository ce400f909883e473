package views_test

import (
	"math/rand/v2"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// sampleUsage returns the same period each time, with a working day.
func sampleUsage(p dashboardview.Period) dashboardview.Usage {
	dice := rand.New(rand.NewPCG(1, uint64(p.Width)))
	u := dashboardview.Usage{Period: p}
	u.To = noon.Truncate(p.Width).Add(p.Width)
	u.From = u.To.Add(-time.Duration(p.Bars) * p.Width)
	u.Total = app.Figures{Counts: map[app.Status]int64{}, Average: 640 * time.Millisecond, P95: 2400 * time.Millisecond}
	for i := range p.Bars {
		b := app.UsageBar{Start: u.From.Add(time.Duration(i) * p.Width), Counts: map[app.Status]int64{}}
		if n := dice.Int64N(90); i%9 > 1 {
			b.Counts[app.StatusCompleted] = 10 + n
			b.Counts[app.StatusError] = n / 14
			b.Counts[app.StatusTimeout] = n / 30
			b.Counts[app.StatusCancelled] = n / 40
		}
		for s, n := range b.Counts {
			u.Total.Counts[s] += n
		}
		u.Bars = append(u.Bars, b)
		u.Total.Runs += b.Total()
	}
	u.Total.Failed = u.Total.Counts[app.StatusError] + u.Total.Counts[app.StatusTimeout]
	u.Before = app.Figures{Runs: 1180, Failed: 31, Average: 590 * time.Millisecond, P95: 2100 * time.Millisecond}
	for i, name := range []string{"Monthly revenue report from Oracle", "Nightly stock check",
		"Support digest with a rather long description that does not fit into one line of the table",
		"Weather of Seattle"} {
		runs := int64(900 >> (2 * i))
		u.Profiles = append(u.Profiles, app.ProfileFigures{Handle: "h", Profile: name,
			Figures: app.Figures{Runs: runs, Failed: runs / 30, Average: 640 * time.Millisecond, P95: 2400 * time.Millisecond}})
	}
	most := &u.Profiles[0] // has what the others leave of the sums
	most.Runs, most.Failed = u.Total.Runs, u.Total.Failed
	for _, p := range u.Profiles[1:] {
		most.Runs, most.Failed = most.Runs-p.Runs, most.Failed-p.Failed
	}
	return u
}

func sampleNeeds() []dashboardview.Need {
	return []dashboardview.Need{
		{Icon: "key", Title: "REFUSED_BY_ITS_HOST",
			Detail: "The host got the value and did not accept it: it answered Unauthorized.",
			URL:    paths.CredentialURL("REFUSED_BY_ITS_HOST"), Action: "Set a new value", At: ago(26 * time.Hour)},
		{Icon: "profile", Title: "Monthly revenue report from Oracle",
			Detail: "An agent at 192.168.1.40 asks for 3 keys and 2 hosts.", Code: "k7m-4qx",
			URL:    paths.ProfileURL("h"),
			Action: "Review request", At: ago(4 * time.Minute)},
		{Icon: "globe", Title: "Nightly stock check",
			Detail: "Its agent asks for 2 more hosts: api.exchange.example:443, rates.example.org.",
			URL:    paths.ProfileURL("i"),
			Action: "Decide", At: ago(3 * time.Minute)},
		{Icon: "key", Title: "Weekly occupancy forecast", Detail: "Its key STRIPE_RESTRICTED_KEY has no value, so its scripts are " +
			"refused.",
			URL: paths.CredentialURL("STRIPE_RESTRICTED_KEY"), Action: "Set the value", At: ago(2 * time.Minute)},
		{Icon: "profile", Title: "A profile with a very long name " + strings.Repeat("that goes on ", 5),
			Detail: "It is being set up and not locked yet.", URL: paths.ProfileURL("j"), Action: "Finish setup",
			At: ago(time.Minute)},
	}
}

func sampleCompare() executionview.ComparePage {
	a, b := executionPage(3).Execution, executionPage(3).Execution
	b.Handle, b.CreatedAt, b.RunTime = "h1b2c3d4e5f6", ago(time.Minute), 910*time.Millisecond
	b.Manifest.ResultHash, b.Manifest.Python = strings.Repeat("ab", 32), "3.12.1"
	b.Manifest.Policy = strings.Repeat("cd", 32)
	side := func(x app.Execution, total, warning string) executionview.Side {
		return executionview.Side{Execution: x, Texts: []executionview.Text{
			{ID: "diff-result", Title: "Result", Text: "{\n  \"total\": \"" + total +
				"\",\n  \"rows\": 41208,\n  \"outlets\": [\n    \"Bar\",\n    \"Terrace\",\n    \"Kitchen\"\n  ]\n}"},
			{ID: "diff-stdout", Title: "Output", Text: "41,208 rows, total " + total + "\n"},
			{ID: "diff-stderr", Title: "Errors (stderr)", Text: warning},
			{ID: "diff-llm", Title: "LLM answers", Text: "Terrace.\n"},
			{ID: "diff-script", Title: "Script", Text: sampleScript},
		}}
	}
	left, right := side(a, "1,204,441.20", ""), side(b, "1,204,443.70", "warning: 3 rows without an outlet\n")
	return executionview.ComparePage{Shell: shell("Compare", layout.SectionExecutions), This: right, Other: &left,
		Policy:  []string{"+ fx.acme.test:443"},
		Choices: []components.Choice{{Value: a.Handle, Word: "d1b2c3d4, Completed, " + app.FormatDay(a.CreatedAt)}}}
}
