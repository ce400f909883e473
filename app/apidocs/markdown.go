package apidocs

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/wire"
)

//go:embed skill.md.tmpl
var source string

// Instance describes the instance that serves the text.
type Instance struct {
	URL       string // without trailing slash
	Version   string
	Backend   string
	Tier      string
	Notes     []string // what scripts find different in the default backend's boxes
	Ready     bool
	Checking  bool     // it has just started, and whether a sandbox is ready is about to show
	Packages  []string // of the default backend: name and version
	Limits    app.Limits
	Timeouts  app.Timeouts
	Workers   int      // executions at once; 0 if unknown
	KeptDays  int      // how long executions are kept; 0: for ever
	KeptCount int      // and how many of a profile; 0: all
	Skills    []string // names of those that the reader's profile may run
}

// maxPackages bounds the list in the text, in bytes. GET /packages has all.
const maxPackages = 1000

var packageShape = regexp.MustCompile(`^[A-Za-z0-9][\w.-]* [\w.+!-]+$`)

// Importable is the list for one line.
func (i Instance) Importable() string {
	var b strings.Builder
	for n, p := range i.Packages {
		if !packageShape.MatchString(p) {
			continue // an image names its packages itself
		}
		if b.Len()+len(p) > maxPackages {
			fmt.Fprintf(&b, " and %d more", len(i.Packages)-n)
			break
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(p)
	}
	return b.String()
}

// ErrorRow is one line of the table of errors.
type ErrorRow struct {
	Code app.Code
	Do   string
}

// page is the data of the template.
type page struct {
	Instance   *Instance
	Base       string
	Profile    *profile
	Operations []Operation
	Errors     []ErrorRow
	NotOffered []app.NotOffered

	LLMWait, Tmp, Shm, Memory, CPU, Output, Result string
	Notes                                          []string
	TimeoutDefault, TimeoutMax, LLMCalls           string
	Workers, Kept                                  string
	Pids, Files                                    int64

	Connections, ConnectionsInAll int
	ConnectionWait                string
}

// Static returns SKILL.md for agents without an instance, with default limits.
func Static() (string, error) {
	return render(newPage(Instance{
		Limits: app.DefaultLimits(), Timeouts: app.DefaultTimeouts(),
		KeptDays: retention.DefaultDays, KeptCount: retention.DefaultCount,
	}))
}

// Dynamic returns the text of a running instance; p is the reader's profile or nil.
func Dynamic(i Instance, p *app.Profile, now time.Time) (string, error) {
	view := newPage(i)
	view.Instance, view.Base = &i, i.URL
	if p != nil {
		view.Profile = describe(*p, now)
		// The names of skills can't contain markup.
		view.Profile.Skills, view.Profile.MoreSkills = fit(i.Skills, maxSkillList,
			func(name string) int { return len(name) + 4 })
	}
	return render(view)
}

func newPage(i Instance) page {
	return page{
		Base: "$AIRLOCK", Operations: major(Operations()), Errors: errorRows(),
		LLMWait:        app.FormatDuration(i.Timeouts.Answer),
		TimeoutDefault: seconds(i.Timeouts.Default), TimeoutMax: seconds(i.Timeouts.Max),
		LLMCalls: strconv.Itoa(app.MaxLLMCalls), NotOffered: app.Alternatives(),
		Workers: workers(i.Workers), Kept: wordRetention(i.KeptDays, i.KeptCount),
		Tmp: app.FormatSize(i.Limits.Tmp), Shm: app.FormatSize(plugins.Limits{Memory: i.Limits.Memory}.Shm()),
		Notes:  i.Notes,
		Memory: app.FormatSize(i.Limits.Memory),
		Output: app.FormatSize(i.Limits.Output),
		Result: app.FormatSize(i.Limits.Result),
		CPU:    strconv.FormatFloat(i.Limits.CPU, 'g', -1, 64), Pids: i.Limits.Pids, Files: i.Limits.Files,
		Connections: wire.MaxConnects, ConnectionsInAll: wire.MaxConnections, ConnectionWait: seconds(wire.MaxWait),
	}
}

func render(p page) (string, error) {
	t, err := template.New("skill.md").Parse(source)
	if err != nil {
		return "", fmt.Errorf("apidocs: parse the text: %w", err)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, p); err != nil {
		return "", fmt.Errorf("apidocs: render the text: %w", err)
	}
	return collapse(out.String()), nil
}

// collapse leaves at most one empty line in a row.
func collapse(text string) string {
	for strings.Contains(text, "\n\n\n") {
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	return strings.TrimRight(text, "\n") + "\n"
}

func workers(n int) string {
	if n == 0 {
		return "two per processor"
	}
	return "at most " + strconv.Itoa(n)
}

func wordRetention(days, count int) string {
	var bounds []string
	if days > 0 {
		bounds = append(bounds, strconv.Itoa(days)+" days")
	}
	if count > 0 {
		bounds = append(bounds, "up to "+strconv.Itoa(count)+" per profile")
	}
	if len(bounds) == 0 {
		return "until a person removes them"
	}
	return strings.Join(bounds, ", ")
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// major returns the calls that have a section of their own.
func major(all []Operation) []Operation {
	return slices.DeleteFunc(all, func(op Operation) bool { return op.Minor })
}
