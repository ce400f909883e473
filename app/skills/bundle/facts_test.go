package bundle_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/skills/bundle"
)

func TestFactsOfABundle(t *testing.T) {
	b, err := bundle.ReadFolder(folder(t, map[string]string{
		"SKILL.md":    "---\nname: a\ndescription: b\nmetadata:\n  airlock.hosts: api.example.com\n---\nSee https://docs.example.com/x.\n",
		"lib/more.py": "from os import environ\neval('1')\n",
		"main.py": "import requests, lib.more\nrequests.get('https://api.example.com/v1')\nhost = 'files.example.net'\n" +
			"open('main.py')\ntoken = 'FIND ME'\n",
		"odd.py":           "]x = 1 # \u202e\np\u0430ypal = 2\n\x1b[31m\n",
		"data.bin":         "\x00\x01",
		"requirements.txt": "pandas>=2 # tables\n\nscikit_learn\n--index-url https://pypi.example.org/simple\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	facts := b.Scan(func(text string) []redact.Match {
		if at := strings.Index(text, "FIND ME"); at >= 0 {
			return []redact.Match{{Start: at, Rule: "a-rule"}}
		}
		return nil
	})
	got := fmt.Sprint(facts.All())
	want := "[{Other hosts [docs.example.com files.example.net pypi.example.org]} {Like a secret [main.py:5: a-rule]} " +
		"{Runs or connects [lib/more.py:2: eval]} {Environment [lib/more.py:1: os.environ]} " +
		"{Unread Python [odd.py:1: the bracket ] closes none]} " +
		"{Invisible [odd.py:1: U+202E odd.py:3: U+001B]} {Mixed alphabets [odd.py:2: p\u0430ypal]} {Not text [data.bin]} " +
		"{Imports [lib os requests]} {Packages [pandas>=2 scikit_learn --index-url https://pypi.example.org/simple]}]"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestFactsFindHosts finds hosts behind users and ports, next to each other, and behind a thousand
// lookalikes.
func TestFactsFindHosts(t *testing.T) {
	text := "first.example.com second.example.com 'Third.Example.com:8443' (fourth.example.com) =fifth.example.com/x\n" +
		"git+HTTPS://me:secret@Sixth.example.com./x http://localhost:80 ws://10.0.0.1/ redis://cache_1 https:// \n" +
		strings.Repeat("(self.items) ", 1000) + "\"last.example.com\"\n" +
		"run.sh main.py co.uk a..example.com .b.example.com c_d.example.com e.example.c0m f.example.com, x://g.example.com"
	b, err := bundle.ReadFolder(folder(t, map[string]string{"SKILL.md": "---\nname: a\ndescription: b\n---\n",
		"main.py": "x = 1\n", "hosts.txt": text}))
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(b.Scan(nil).Hosts, " ")
	want := "10.0.0.1 cache_1 fifth.example.com first.example.com fourth.example.com last.example.com localhost " +
		"second.example.com sixth.example.com third.example.com"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestHoleScanOfManySecrets: counting lines from the start for each secret kept a review page busy
// for minutes.
func TestHoleScanOfManySecrets(t *testing.T) {
	text := strings.Repeat("token\n", 200_000)
	b, err := bundle.ReadFolder(folder(t, map[string]string{"SKILL.md": "---\nname: a\ndescription: b\n---\n", "main.py": "x = 1\n",
		"data.txt": text}))
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	facts := b.Scan(func(text string) (list []redact.Match) {
		for at := range len(text) / 6 {
			list = append(list, redact.Match{Start: 6 * at, Rule: "a-rule"})
		}
		return list
	})
	if n := len(facts.Secrets); n != 100 || facts.Secrets[n-1].Line != 97 { // three are in the other files
		t.Errorf("%d secrets, the last %+v", n, facts.Secrets[n-1])
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %s", took)
	}
}

// TestHoleFactsBehindMany: repetitions hid later facts from a reviewer, and a blank between two
// hosts hid the second.
func TestHoleFactsBehindMany(t *testing.T) {
	b, err := bundle.ReadFolder(folder(t, map[string]string{
		"SKILL.md": "---\nname: a\ndescription: b\nmetadata:\n  airlock.hosts: api.example.com\n---\n",
		"main.py": strings.Repeat("# https://api.example.com/ and \"self.value\"\n", 2000) + "get('https://evil.example.net/x')\n" +
			"'one.example.org two.example.org'\n",
		"a.py": strings.Repeat("import os\nos.environ\n", 200),
	}))
	if err != nil {
		t.Fatal(err)
	}
	facts := b.Scan(nil)
	if got := fmt.Sprint(facts.Hosts); got != "[evil.example.net one.example.org two.example.org]" {
		t.Errorf("hosts %s", got)
	}
	for _, f := range facts.All() {
		if last := f.Places[len(f.Places)-1]; f.Name == "Environment" && last != "Only the first 100 are listed." {
			t.Errorf("%d places, the last is %s", len(f.Places), last)
		}
	}
}

// TestHoleM8ModulesOfTheBundle: parts of any path hid imports, and a coding line made Python read
// another program than the reviewer.
func TestHoleM8ModulesOfTheBundle(t *testing.T) {
	files := map[string]string{
		"SKILL.md":        "---\nname: a\ndescription: b\nmetadata:\n  airlock.entrypoint: scripts/main.py\n---\n",
		"scripts/main.py": "import urllib.request, smtplib, own, package, json\n",
		"scripts/own.py":  "", "scripts/package/__init__.py": "", "docs/urllib/smtplib": "x", "json.py": "", "scripts/json/x.py": "",
	}
	b, err := bundle.ReadFolder(folder(t, files))
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(b.Scan(nil).Imports); got != "[json smtplib urllib]" {
		t.Errorf("imports %s", got)
	}
	files["scripts/own.py"] = "# coding: utf-7\n# coding: utf-8\n"
	if _, err := bundle.ReadFolder(folder(t, files)); err == nil || !strings.Contains(err.Error(), "scripts/own.py:1: The encoding is utf-7.") {
		t.Errorf("another encoding: %v", err)
	}
}
