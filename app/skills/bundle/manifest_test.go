package bundle_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app/skills/bundle"
)

// skill reads one with this SKILL.md and the files of these names.
func skill(t *testing.T, text string, names ...string) (bundle.Bundle, error) {
	t.Helper()
	files := map[string]string{"SKILL.md": text}
	for _, name := range names {
		files[name] = "# " + name + "\n"
	}
	return bundle.ReadFolder(folder(t, files))
}

func TestOwnFields(t *testing.T) {
	b, err := skill(t, `---
name: invoice-sums
description: >
  Sums invoices
  by month.
license: MIT
compatibility: Needs pandas
metadata:
  author: somebody
  airlock.version: "1.2.0"
  airlock.entrypoint: src/start.py
  airlock.input-schema: |
    {"type": "object", "required": ["year"], "properties": {"year": {"type": "integer"}}}
  airlock.keys: BILLING_TOKEN, OTHER_KEY
  airlock.hosts: api.example.com *.example.org:8443
  airlock.timeout: 120
  airlock.image: python-data
---
# Sums
`, "src/start.py", "main.py")
	if err != nil {
		t.Fatal(err)
	}
	m := b.Manifest
	got := fmt.Sprintln(m.Name, m.Description, m.License, m.Compatibility, m.Version, m.Entrypoint, m.Language, m.Keys,
		m.Hosts[0], m.Hosts[1], m.Timeout, m.Image, m.InputSchema)
	want := fmt.Sprintln("invoice-sums Sums invoices by month. MIT Needs pandas 1.2.0 src/start.py python",
		"[BILLING_TOKEN OTHER_KEY] api.example.com *.example.org:8443 2m0s python-data",
		`{"type":"object","required":["year"],"properties":{"year":{"type":"integer"}}}`)
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestSkillboxFields(t *testing.T) {
	b, err := skill(t, `---
name: text-stats
version: "1.0.0"
description: Counts words.
lang: bash
image: skillbox/shell:3
timeout: 30s
resources:
  memory: 256Mi
  cpu: "0.5"
  pids: 9
---
`, "scripts/main.sh", "main.py")
	if err != nil {
		t.Fatal(err)
	}
	m := b.Manifest
	if m.Version != "1.0.0" || m.Language != bundle.Shell || m.Entrypoint != "scripts/main.sh" ||
		m.Timeout != 30*time.Second || m.Image != "skillbox/shell:3" ||
		len(b.Notes) != 1 || b.Notes[0] != "SKILL.md:8: Airlock doesn't use the key resources." {
		t.Errorf("%+v %q", m, b.Notes)
	}
}

func TestUnknownKeysAreNoted(t *testing.T) {
	b, err := skill(t, "---\nname: a\ndescription: b\nmodel: opus\n---\n", "main.py")
	if err != nil || len(b.Notes) != 1 || b.Notes[0] != "SKILL.md:4: Airlock doesn't use the key model." {
		t.Errorf("%v %q", err, b.Notes)
	}
}

func TestManifestsThatAreRefused(t *testing.T) {
	with := func(line string) string { return "---\nname: a\ndescription: b\n" + line + "\n---\n" }
	own := func(line string) string { return with("metadata:\n  airlock." + line) }
	billion := "a: &a [x,x]\n"
	for i := range 20 {
		billion += fmt.Sprintf("%c: &%c [*%c,*%c]\n", 'b'+i, 'b'+i, 'a'+i, 'a'+i)
	}
	for name, test := range map[string]struct{ text, want string }{
		"no frontmatter":    {"# A skill", "SKILL.md:1: The file has no frontmatter"},
		"without end":       {"---\nname: a\n", "SKILL.md:1: The frontmatter does not end"},
		"ten megabytes":     {"---\n" + strings.Repeat("a: b\n", 2<<20) + "---\n", "SKILL.md: The file has 10485768 bytes"},
		"long frontmatter":  {"---\n" + strings.Repeat("#\n", 20000) + "---\n", "SKILL.md:1: The frontmatter does not end within"},
		"not UTF-8":         {"---\nname: \xff\n---\n", "SKILL.md: The file is not valid UTF-8"},
		"not YAML":          {"---\nname: [\n---\n", "SKILL.md:2: The frontmatter is not valid YAML"},
		"not YAML below":    {with("license: b: c"), "SKILL.md:4: The frontmatter is not valid YAML: mapping values are not allowed"},
		"a list":            {"---\n- name\n---\n", "SKILL.md:2: The frontmatter is not a list of keys"},
		"empty":             {"---\n---\n", "SKILL.md:2: The frontmatter is not valid YAML: EOF"},
		"anchors":           {"---\nname: a\n" + billion + "---\n", "SKILL.md:3: The frontmatter uses an anchor"},
		"alias":             {with("license: *x"), "SKILL.md:2: The frontmatter is not valid YAML: unknown anchor"},
		"tag":               {with("license: !!python/object:os.system x"), "SKILL.md:4: The frontmatter uses a YAML tag"},
		"merge key":         {with("<<: {license: MIT}"), "SKILL.md:4: A key of the frontmatter is not a plain text"},
		"key twice":         {with("name: other"), "SKILL.md:4: The key name is there twice"},
		"list":              {with("license: [a, b]"), "SKILL.md:4: The value of license is not a text"},
		"deep":              {with("metadata:\n  a:\n    b: c"), "SKILL.md:6: The value of a is not a text"},
		"mapping":           {with("license: {a: b}"), "SKILL.md:4: The value of license has the wrong shape"},
		"metadata text":     {with("metadata: a"), "SKILL.md:4: The value of metadata has the wrong shape"},
		"no name":           {"---\ndescription: b\n---\n", "SKILL.md: A skill's name has"},
		"capital":           {"---\nname: Count\ndescription: b\n---\n", "SKILL.md:2: A skill's name has"},
		"two dashes":        {"---\nname: a--b\ndescription: b\n---\n", "SKILL.md:2: A skill's name has"},
		"long name":         {"---\nname: " + strings.Repeat("a", 65) + "\ndescription: b\n---\n", "SKILL.md:2: A skill's name has"},
		"no description":    {"---\nname: a\n---\n", "SKILL.md: The skill has no description"},
		"long description":  {"---\nname: a\ndescription: " + strings.Repeat("b", 1025) + "\n---\n", "SKILL.md:3: The description has 1025"},
		"own typo":          {own("entry-point: main.py"), "SKILL.md:5: There is no key airlock.entry-point"},
		"entrypoint gone":   {own("entrypoint: start.py"), "SKILL.md:5: The entrypoint start.py is not in the bundle"},
		"entrypoint away":   {own("entrypoint: ../../bin/x.sh"), "SKILL.md:5: The entrypoint ../../bin/x.sh is outside"},
		"entrypoint root":   {own("entrypoint: /bin/x.sh"), "SKILL.md:5: The entrypoint /bin/x.sh is outside"},
		"entrypoint binary": {own("entrypoint: main.exe"), "SKILL.md:5: The entrypoint main.exe is not a .py, .sh or .js file"},
		"other language":    {with("lang: node"), "The skill has nothing to run"},
		"unknown language":  {with("lang: cobol"), "SKILL.md:4: Airlock doesn't run cobol"},
		"version":           {with("version: one two"), "SKILL.md:4: The version is not one of"},
		"timeout":           {with("timeout: soon"), "SKILL.md:4: The timeout is not a time"},
		"timeout negative":  {with("timeout: -5"), "SKILL.md:4: The timeout is not a time"},
		"timeout huge":      {with("timeout: 99999999999999999"), "SKILL.md:4: The timeout is not a time"},
		"key":               {own("keys: not-a-key"), "SKILL.md:5: not-a-key is no name of a credential"},
		"host":              {own("hosts: https://a.example.com/x"), "SKILL.md:5: https://a.example.com/x is no host"},
		"schema not JSON":   {own("input-schema: '{'"), "SKILL.md:5: The input schema can't be used: it is not valid JSON"},
		"schema no schema":  {own(`input-schema: '{"type": "words"}'`), "SKILL.md:5: The input schema can't be used: .type"},
		"schema elsewhere": {own(`input-schema: '{"$ref": "https://example.com/s.json"}'`),
			"SKILL.md:5: The input schema can't be used: the reference https://example.com/s.json"},
		"schema file gone": {own("input-schema: schema.json"), "SKILL.md:5: The bundle has no file schema.json"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := skill(t, test.text, "main.py")
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("error %v, want %s…", err, test.want)
			}
		})
	}
}

func TestAllProblemsAreTold(t *testing.T) {
	_, err := skill(t, "---\nname: A\ntimeout: x\n---\n")
	if err == nil || strings.Count(err.Error(), "\n") != 3 { // four lines
		t.Errorf("%v", err)
	}
}
