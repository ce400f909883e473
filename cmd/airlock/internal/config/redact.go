package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/computclaw/airlock/app/redact/patterns"
)

const (
	maxRuleFile  = 256 << 10
	maxRuleFiles = 100
)

func redactVariables() []Variable {
	return []Variable{
		{Name: "AIRLOCK_REDACT_OFF",
			about: "rules to switch off ([docs](redaction.md#rules))",
			set:   func(c *Config, v string) error { c.RedactOff = splitList(v); return nil },
			show:  func(c *Config) string { return strings.Join(c.RedactOff, ",") }},
		text("AIRLOCK_REDACT_EXTRA",
			"file or directory of your own rules ([docs](redaction.md#rules))",
			func(c *Config) *string { return &c.RedactExtra }),
	}
}

func (c *Config) patterns() (*patterns.Set, error) {
	extra, err := readRules(c.RedactExtra)
	if err != nil {
		return nil, fmt.Errorf("AIRLOCK_REDACT_EXTRA: %w", err)
	}
	set, err := patterns.New(patterns.Config{Off: c.RedactOff, Extra: extra})
	if err != nil {
		return nil, fmt.Errorf("AIRLOCK_REDACT_OFF, AIRLOCK_REDACT_EXTRA: %w", err)
	}
	return set, nil
}

// readRules reads the rules in a file or a directory; "" has none.
func readRules(path string) (rules []patterns.Rule, err error) {
	if path == "" {
		return nil, nil
	}
	files := []string{path}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*.rules")); err != nil {
			return nil, err
		}
		if len(files) == 0 || len(files) > maxRuleFiles {
			return nil, fmt.Errorf("%s has %d *.rules files; it takes 1 to %d", path, len(files), maxRuleFiles)
		}
	}
	var problems []error
	for _, file := range files {
		text, err := readBounded(file, maxRuleFile)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		some, err := patterns.Parse(file, text)
		problems = append(problems, err)
		rules = append(rules, some...)
	}
	return rules, errors.Join(problems...)
}

func splitList(text string) (list []string) {
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			list = append(list, item)
		}
	}
	return list
}
