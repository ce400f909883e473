package views_test

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// sampleUsage returns the same period each time, with a working day.
func sampleUsage(p dashboardview.Period) dashboardview.Usage {
	dice := rand.New(rand.NewPCG(1, uint64(p.Bar)))
	bars := map[time.Duration]int{time.Hour: 24, 6 * time.Hour: 28, 24 * time.Hour: 30}[p.Bar]
	u := dashboardview.Usage{Period: p, Figures: []dashboardview.Figure{
		{Name: "Runs", Value: "1,284", Change: "12% more", Trend: "up"},
		{Name: "Error rate", Value: "3.1%", Change: "0.8 points more", Trend: "up", Worse: true},
		{Name: "Average", Value: "640 ms", Change: "114% more", Trend: "up", Worse: true, Aside: true},
		{Name: "95th percentile", Value: "2.4 s", Change: "9% less", Trend: "down"},
		{Name: "Active profiles", Value: "4", Change: "unchanged"},
	}}
	var failed int64
	for i := range bars {
		b := dashboardview.UsageBar{Start: noon.Truncate(p.Bar).Add(-time.Duration(bars-1-i) * p.Bar),
			Counts: map[app.Status]int64{}}
		if n := dice.Int64N(90); i%9 > 1 {
			b.Counts[app.StatusCompleted] = 10 + n
			b.Counts[app.StatusError] = n / 14
			b.Counts[app.StatusTimeout] = n / 30
			b.Counts[app.StatusCancelled] = n / 40
			b.Average = time.Duration(400+10*n) * time.Millisecond
			b.P95 = 3 * b.Average
		}
		u.Bars = append(u.Bars, b)
		u.Runs += b.Total()
		failed += b.Counts[app.StatusError] + b.Counts[app.StatusTimeout]
	}
	u.Figures[0].Value, u.Figures[1].Value = format.Number(u.Runs),
		strconv.FormatFloat(100*float64(failed)/float64(u.Runs), 'f', 1, 64)+"%"
	for i, name := range []string{"Monthly revenue report from Oracle", "Nightly stock check",
		"Support digest with a rather long description that does not fit into one line of the table",
		"Weather of Seattle"} {
		runs := int64(900 >> (2 * i))
		u.Profiles = append(u.Profiles,
			dashboardview.ProfileUsage{Name: name, URL: paths.ExecutionsOf("h"), Runs: runs, Failed: runs / 30,
				Average: 640 * time.Millisecond, P95: 2400 * time.Millisecond})
	}
	most := &u.Profiles[0] // has what the others leave of the sums
	most.Runs, most.Failed = u.Runs, failed
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
	side := func(x app.Execution, total string) executionview.Side {
		return executionview.Side{Execution: x, Script: sampleScript, Stdout: "41,208 rows, total " + total + "\n",
			Answers: "Terrace.\n",
			Result: "{\n  \"total\": \"" + total +
				"\",\n  \"rows\": 41208,\n  \"outlets\": [\n    \"Bar\",\n    \"Terrace\",\n    \"Kitchen\"\n  ]\n}"}
	}
	left, right := side(a, "1,204,441.20"), side(b, "1,204,443.70")
	right.Stderr = "warning: 3 rows without an outlet\n"
	return executionview.ComparePage{Shell: shell("Compare", layout.SectionExecutions), This: right, Other: &left,
		Policy:  []string{"+ fx.acme.test:443"},
		Choices: []components.Choice{{Value: a.Handle, Word: "d1b2c3d4, Completed, " + app.FormatDay(a.CreatedAt)}}}
}
