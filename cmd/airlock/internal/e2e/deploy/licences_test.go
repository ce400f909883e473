package deploy_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// licences returns permitted licences, with words unique to their texts. All permit distribution
// under MIT. MPL-2.0 wants changes to its files published; we make none.
func licences() map[string]string {
	return map[string]string{
		"MIT":        "permission is hereby granted, free of charge, to any person obtaining a copy",
		"Apache-2.0": "apache license version 2.0",
		"BSD":        "redistribution and use in source and binary forms",
		"MPL-2.0":    "mozilla public license",
		"ISC":        "permission to use, copy, modify, and/or distribute this software for any purpose",
	}
}

// refused matches beginnings of licences that ask for more. Other texts name them further down.
var refused = regexp.MustCompile(
	`(?i)gnu (affero |lesser |library )?general public license|server side public license|` +
		`business source license|elastic license|commons clause`)

// TestLicences finds the licence of every module that we ship, in its own files. A module that is
// missing here fails it.
func TestLicences(t *testing.T) {
	t.Parallel()
	command := exec.Command("go", "list", "-deps", "-f",
		"{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}", "./cmd/...")
	root, err := filepath.Abs("../../../../..")
	e2e.Must(t, err)
	command.Dir = root
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := command.Output()
	if err != nil {
		t.Fatalf("licences: NOT CHECKED: the modules can't be listed; are they downloaded? %v", err)
	}
	seen := map[string]string{}
	for line := range strings.Lines(string(out)) {
		module, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if module == "" || seen[module] != "" || strings.HasPrefix(dir, root) { // ours
			continue
		}
		if dir == "" {
			t.Errorf("%s: NOT CHECKED: it is not on this machine; run go mod download", module)
			continue
		}
		if seen[module] = licenceIn(t, dir); seen[module] == "" {
			t.Errorf("%s: no licence that we know; look into %s", module, dir)
		}
		t.Logf("%-12s %s", seen[module], module)
	}
	if len(seen) < 50 {
		t.Errorf("only %d modules were found", len(seen))
	}
}

func licenceIn(t *testing.T, dir string) string {
	t.Helper()
	found := map[string]bool{}
	entries, err := os.ReadDir(dir)
	e2e.Must(t, err)
	for _, e := range entries {
		name := strings.ToLower(e.Name())
		if e.IsDir() || !strings.HasPrefix(name, "licen") && !strings.HasPrefix(name, "copying") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		e2e.Must(t, err)
		if refused.Match(text[:min(len(text), 300)]) {
			return ""
		}
		plain := strings.Join(strings.Fields(strings.NewReplacer(",", " ", "*", " ").Replace(strings.ToLower(string(text)))),
			" ")
		for licence, words := range licences() {
			if strings.Contains(plain, strings.Join(strings.Fields(strings.ReplaceAll(words, ",", " ")), " ")) {
				found[licence] = true
			}
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " and ")
}

func TestRefusedLicencesAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3\n": "",
		"All rights reserved.":                           "",
		"Apache License\nVersion 2.0, January 2004\n\n" +
			"Redistribution and use in source and binary forms, with or without": "Apache-2.0 and BSD",
		"MIT License\n\n" +
			"Permission is hereby granted, free\nof charge, to any person obtaining a copy of": "MIT",
	} {
		dir := t.TempDir()
		e2e.Must(t, os.WriteFile(filepath.Join(dir, "LICENSE"), []byte(text), 0o600))
		if got := licenceIn(t, dir); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
