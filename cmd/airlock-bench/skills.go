package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/app/skills/bundle"
)

const (
	scannedBundle = 5 << 20 // bytes of texts
	scanRounds    = 5
)

// skills prints what an execution takes as a skill, next to the same code as a script, and what it takes
// to read a large bundle.
func (s *suite) skills(ctx context.Context) error {
	table := newTable(s.out)
	b := s.newBenchmark()
	stop, err := b.start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	if err := b.scriptAndSkill(ctx, table, s.rounds); err != nil {
		return err
	}
	if err := scanBundle(table); err != nil {
		return err
	}
	return table.Flush()
}

// scriptAndSkill alternates a script with the same code as a skill.
func (b *benchmark) scriptAndSkill(ctx context.Context, table *tabwriter.Writer, rounds int) error {
	id, err := b.trivial(ctx)
	if err != nil {
		return err
	}
	if err := b.saveSkill(ctx, id); err != nil {
		return err
	}
	var scripts, skills []time.Duration
	for i := range rounds + 5 {
		time.Sleep(breath)
		start := time.Now()
		if _, err := b.trivial(ctx); err != nil {
			return err
		}
		script := time.Since(start)
		time.Sleep(breath)
		start = time.Now()
		if err := b.runSkill(ctx); err != nil {
			return err
		}
		skill := time.Since(start)
		if i >= 5 { // the first rounds warm caches on both sides
			scripts, skills = append(scripts, script), append(skills, skill)
		}
	}
	row(table, "submit to completed, warm, a script", scripts, "")
	row(table, "submit to completed, warm, the same as a skill", skills, "")
	return nil
}

// saveSkill makes the skill "one" of an execution's script, and approves it.
func (b *benchmark) saveSkill(ctx context.Context, execution string) error {
	body := `{"execution_id":"` + execution + `","name":"one","description":"Returns 1."}`
	var version struct{ Digest string }
	if err := b.send(ctx, http.MethodPost, "/skills", b.profile, strings.NewReader(body), &version); err != nil {
		return err
	}
	_, err := b.admin(ctx, "", "skill", "approve", version.Digest)
	return err
}

func (b *benchmark) runSkill(ctx context.Context) error {
	var x struct {
		Status, Error string
		Result        json.RawMessage
	}
	err := b.call(ctx, http.MethodPost, "/execute?wait=50", map[string]string{"profile_id": b.profile, "skill": "one"}, &x)
	if err == nil && string(x.Result) != "1" {
		err = fmt.Errorf("the skill ended as %s: %s", x.Status, x.Error)
	}
	return err
}

// scanBundle measures how a zip file of texts is read, and the facts for a reviewer found.
func scanBundle(table *tabwriter.Writer) error {
	rules, err := patterns.New(patterns.Config{})
	if err != nil {
		return err
	}
	content, err := zipOf(benchLog(), scannedBundle)
	if err != nil {
		return err
	}
	var reads, scans []time.Duration
	for range scanRounds {
		start := time.Now()
		b, err := bundle.ReadZip(bytes.NewReader(content), int64(len(content)))
		if err != nil {
			return err
		}
		reads = append(reads, time.Since(start))
		start = time.Now()
		b.Scan(rules.Find)
		scans = append(scans, time.Since(start))
	}
	row(table, "read a zip file of 5 MiB", reads, "")
	row(table, "scan those 5 MiB", scans, "")
	return nil
}

// zipOf packs a skill with so many bytes of text.
func zipOf(text string, size int) ([]byte, error) {
	files := map[string]string{
		"SKILL.md": "---\nname: large\ndescription: Has many texts.\n---\n", "main.py": "set_result(1)\n",
	}
	for n := 0; n*len(text) < size; n++ {
		files[fmt.Sprintf("text-%d.txt", n)] = text
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range files {
		f, err := w.Create(name)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write([]byte(content)); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}
