package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/skills/bundle"
)

func TestFactsOfABundle(t *testing.T) {
	b, err := bundle.ReadFolder(folder(t, map[string]string{
		"SKILL.md": "---\nname: a\ndescription: b\nmetadata:\n  airlock.hosts: api.example.com\n---\nSee https://docs.example.com/x.\n",
		"main.py": "import requests\nrequests.get('https://api.example.com/v1')\nhost = 'files.example.net'\n" +
			"open('main.py')\ntoken = 'FIND ME'\n",
		"odd.py":           "x = 1 # \u202e\np\u0430ypal = 2\n\x1b[31m\n",
		"data.bin":         "\x00\x01",
		"requirements.txt": "pandas>=2 # tables\n\nscikit_learn\n--index-url https://pypi.example.org/simple\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	facts := b.Scan(func(text string) []bundle.Secret {
		if at := strings.Index(text, "FIND ME"); at >= 0 {
			return []bundle.Secret{{Start: at, Rule: "a-rule"}}
		}
		return nil
	})
	got := fmt.Sprintf("%+v", facts)
	want := "{Hosts:[docs.example.com files.example.net pypi.example.org] Secrets:[{File:main.py Line:5 What:a-rule}] " +
		"Invisible:[{File:odd.py Line:1 What:U+202E} {File:odd.py Line:3 What:U+001B}] " +
		"Mixed:[{File:odd.py Line:2 What:p\u0430ypal}] Binary:[data.bin] " +
		"Requirements:[pandas>=2 scikit_learn --index-url https://pypi.example.org/simple]}"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
