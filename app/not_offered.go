package app

import (
	"regexp"
	"slices"
	"strings"
)

// NotOffered is a missing feature that agents look for.
type NotOffered struct {
	What    string
	Instead string   // a sentence, the same wherever an agent meets it
	paths   []string // words of paths under which agents look for it
}

// The order of Alternatives.
const (
	otherLanguages = iota
	installing
	scheduling
	background
)

// Alternatives lists missing features with their alternatives.
func Alternatives() []NotOffered {
	return []NotOffered{
		otherLanguages: {
			What:    "Shell, Node or other languages as `script`",
			Instead: "Send Python, which can start programs, or make it a skill (POST /skills): those may be shell or Node.",
			paths:   []string{"bash", "shell", "node", "javascript", "exec", "run", "eval"},
		},
		installing: {
			What:    "pip, apt or npm install",
			Instead: "Import what GET /packages lists; pure Python can come in a skill; a person can add packages.",
			paths:   []string{"pip", "install"},
		},
		scheduling: {
			What:    "Schedules and webhooks",
			Instead: "Call POST /execute, best with a skill, from a scheduler of your own.",
			paths:   []string{"schedule", "schedules", "cron", "jobs", "webhooks", "triggers", "workflows"},
		},
		background: {
			What: "Background work and memory between runs",
			Instead: "Start another script later: nothing outlives one, sleeping uses up its timeout, " +
				"all of it stops during llm.complete.",
			paths: []string{"sessions", "kernels", "state", "workspaces"},
		},
	}
}

// AlternativeToInstalling returns what to do instead of installing a package.
func AlternativeToInstalling() string { return Alternatives()[installing].Instead }

// AlternativeForPath returns the alternative to a path that does not exist, or "".
func AlternativeForPath(path string) string {
	first, _, _ := strings.Cut(strings.Trim(strings.ToLower(path), "/"), "/")
	for _, a := range Alternatives() {
		if slices.Contains(a.paths, first) {
			return a.Instead
		}
	}
	return ""
}

var (
	otherInterpreter = regexp.MustCompile(`\A\s*#!.*`)
	installCommand   = regexp.MustCompile(`(?m)\A(?:\s|#.*$)*[!%]?\s*(?:sudo\s+)?` +
		`(?:pip3?|apt|apt-get|npm|conda|uv|apk)\s+(?:pip\s+)?(?:install|add)\b`)
	shellOrNode = regexp.MustCompile(`(?m)\A(?:\s|#.*$|//.*$)*(?:` +
		`(?:cd|ls|echo|export|curl|wget|npx|node|sudo|git|mkdir|cat|set\s+-\w+)\s|` +
		`(?:const|let|var)\s+\w|(?:async\s+)?function\s+\w|console\.|import\s.*\sfrom\s+['"]|require\()`)
)

// AlternativeForScript returns the alternative to a script that certainly isn't Python, or "".
func AlternativeForScript(script string) string {
	switch line := otherInterpreter.FindString(script); {
	case line != "" && !strings.Contains(line, "python") && !strings.Contains(line, "uv "):
		return Alternatives()[otherLanguages].Instead
	case installCommand.MatchString(script):
		return Alternatives()[installing].Instead
	}
	return ""
}

// AlternativeAfterSyntaxError guesses the alternative to a script that Python could not read.
func AlternativeAfterSyntaxError(script string) string {
	if instead := AlternativeForScript(script); instead != "" {
		return instead
	}
	if shellOrNode.MatchString(script) {
		return Alternatives()[otherLanguages].Instead
	}
	return ""
}
