package app

import (
	"strings"
	"testing"
)

func TestScriptsThatAreNoPython(t *testing.T) {
	t.Parallel()
	language, install := Alternatives()[otherLanguages].Instead, Alternatives()[installing].Instead
	for script, want := range map[string][2]string{ // before it runs, after a SyntaxError
		"#!/bin/bash\nls":                         {language, language},
		"#!/usr/bin/env node\nconsole.log(1)":     {language, language},
		"#!/usr/bin/env python3\nprint(1)":        {"", ""},
		"pip install requests\nimport requests":   {install, install},
		"# first\n!pip3 install x":                {install, install},
		"\n%pip install x":                        {install, install},
		"sudo apt-get install jq":                 {install, install},
		"curl -s https://example.com | jq .":      {"", language},
		"const a = 1;":                            {"", language},
		"import fs from 'fs'":                     {"", language},
		"print('pip install requests')":           {"", ""},
		"pip = 1\nprint(pip)":                     {"", ""},
		"# pip install requests\nprint(1)":        {"", ""},
		"let = 1\nprint(let)":                     {"", ""},
		"from x import y\nif True print(1)":       {"", ""},
		"'''#!/bin/bash'''":                       {"", ""},
		"import subprocess\nsubprocess.run('ls')": {"", ""},
	} {
		if got := AlternativeForScript(script); got != want[0] {
			t.Errorf("%q: %q", script, got)
		}
		if got := AlternativeAfterSyntaxError(script); got != want[1] {
			t.Errorf("%q after a SyntaxError: %q", script, got)
		}
	}
}

func TestPathsOfWhatIsNotOffered(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/schedules/7": Alternatives()[scheduling].Instead, "/filesystem": "", "/": "", "/executions/x/files": "",
	} {
		if got := AlternativeForPath(path); got != want {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// TestSkillsAreAWayToWhatScriptsAreNot: hints for languages, packages and recurring tasks name
// skills.
func TestSkillsAreAWayToWhatScriptsAreNot(t *testing.T) {
	t.Parallel()
	for name, instead := range map[string]string{
		"a shell script": AlternativeForScript("#!/bin/sh\nls"), "JavaScript": AlternativeAfterSyntaxError("const a = 1;"),
		"pip": AlternativeForScript("pip install x"), "a schedule": AlternativeForPath("/cron"),
	} {
		if !strings.Contains(instead, "skill") {
			t.Errorf("%s: %q", name, instead)
		}
	}
}
