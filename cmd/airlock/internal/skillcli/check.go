package skillcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/skills/bundle"
	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

const usage = `Usage: airlock skill COMMAND

  check PATH         read a skill, a folder or a zip file, as Airlock does, and tell what is in it and what is wrong.
                     Nothing of it is run and nothing is sent anywhere
    --inputs FILE    compare the JSON in a file with the skill's input schema
    --json           print one JSON object
  push PATH          upload a skill for review, as a profile's agent; the same files again change nothing
    --profile ID     profile id; better in AIRLOCK_PROFILE, since arguments can be read by other users of this host
    --url URL        the instance; else AIRLOCK_URL, else http://localhost:9090
    --json           print the answer of POST /skills
  pull NAME [DIR]    write the files of a skill into a new folder, NAME unless you name one. NAME@VERSION or a digest
                     names a version. It takes --profile and --url as well

Exit codes: 0 it is a skill and takes the inputs, or was sent or written; 1 not; 2 wrong usage.
`

// Run is airlock skill.
func Run(ctx context.Context, c cli.Console, args []string) error {
	_, run, err := cli.Choose(c.Out, "skill", usage, cli.Commands{
		"check PATH --inputs= --json":        func(_ context.Context, a cli.Args) error { return check(c, a) },
		"push PATH --profile= --url= --json": func(ctx context.Context, a cli.Args) error { return push(ctx, c, a) },
		"pull NAME [DIR] --profile= --url=":  func(ctx context.Context, a cli.Args) error { return pull(ctx, c, a) },
	}, args)
	if err != nil {
		return err
	}
	return run(ctx)
}

func check(c cli.Console, a cli.Args) error {
	b, err := open(a.Rest[0])
	var problems bundle.Problems
	if err != nil && !errors.As(err, &problems) {
		return fmt.Errorf("the skill can't be read: %w", err)
	}
	rules, err := patterns.New(patterns.Config{})
	if err != nil {
		return err
	}
	facts := b.Scan(rules.Find)
	if a.IsGiven("inputs") && len(problems) == 0 {
		if err := checkInputs(b, a.Text("inputs")); err != nil {
			return err
		}
	}
	switch {
	case a.On("json"):
		err = printJSON(c.Out, b, facts, problems)
	case len(problems) == 0:
		printBundle(c.Out, b, facts)
	}
	if err == nil && len(problems) > 0 {
		if !a.On("json") {
			printProblems(c.Err, problems)
		}
		return errors.New("it is not a skill")
	}
	return err
}

func checkInputs(b bundle.Bundle, file string) error {
	inputs, err := os.ReadFile(file)
	if err != nil || b.Manifest.InputSchema == "" {
		return err
	}
	schema, err := bundle.CompileSchema(b.Manifest.InputSchema)
	if err != nil {
		return err
	}
	return schema.Check(inputs)
}

// open reads a folder or a zip file.
func open(path string) (bundle.Bundle, error) {
	info, err := os.Stat(path)
	if err != nil {
		return bundle.Bundle{}, err
	}
	if info.IsDir() {
		return bundle.ReadFolder(path)
	}
	file, err := os.Open(path)
	if err != nil {
		return bundle.Bundle{}, err
	}
	defer file.Close()
	return bundle.ReadZip(file, info.Size())
}

func printProblems(w io.Writer, problems bundle.Problems) {
	for _, p := range problems {
		fmt.Fprintln(w, cli.Printable(p.Error()))
		if p.Hint != "" {
			fmt.Fprintln(w, "  "+cli.Printable(p.Hint))
		}
	}
}

func printBundle(w io.Writer, b bundle.Bundle, facts bundle.Facts) {
	m := b.Manifest
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-14s%s\n", name, cli.Printable(value))
		}
	}
	line("name", m.Name)
	line("version", m.Version)
	line("description", m.Description)
	line("digest", b.Digest())
	line("entrypoint", fmt.Sprintf("%s (%s)", m.Entrypoint, m.Language))
	line("files", fmt.Sprintf("%d, %s", len(b.Files), app.FormatSize(b.Size())))
	line("keys", strings.Join(m.Keys, ", "))
	line("hosts", app.BriefHosts(m.Hosts))
	if m.Timeout > 0 {
		line("timeout", m.Timeout.String())
	}
	line("image", m.Image)
	if m.InputSchema != "" {
		line("inputs", "checked against its JSON Schema")
	}
	line("left out", strings.Join(b.Ignored, ", "))
	for _, fact := range facts.All() {
		cli.PrintList(w, fact.Name, fact.Places)
	}
	for _, n := range b.Notes {
		fmt.Fprintln(w, cli.Printable(n))
	}
}

// printJSON prints what --json shows: the problems, or everything about the skill.
func printJSON(w io.Writer, b bundle.Bundle, facts bundle.Facts, problems bundle.Problems) error {
	report := map[string]any{"problems": append(bundle.Problems{}, problems...)}
	if len(problems) == 0 {
		sizes := map[string]int{}
		for _, f := range b.Files {
			sizes[f.Path] = len(f.Content)
		}
		maps.Copy(report, map[string]any{"digest": b.Digest(), "manifest": b.Manifest, "files": sizes, "facts": facts,
			"ignored": b.Ignored, "notes": b.Notes})
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}
