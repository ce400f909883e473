package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

const configUsage = `Usage: airlock config [--markdown]

Prints the effective configuration and where each value comes from, secrets masked, and then what is wrong with it. --markdown prints the table of all variables instead.
`

// showConfig is airlock config.
func showConfig(c console, args []string) error {
	f := newFlags("config", configUsage)
	markdown := f.Bool("markdown", false, "")
	if _, err := f.parse(c.out, args); err != nil {
		return err
	}
	if *markdown {
		table, err := configTable()
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(c.out, table)
		return err
	}
	cfg, wrong := loadConfig(c.env)
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, v := range variables() {
		from := cfg.origin[v.name]
		if from == "" {
			from = "default"
		}
		value := v.show(&cfg)
		if value == "" {
			value = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", v.name, value, from)
	}
	for _, line := range pluginLines(cfg) {
		fmt.Fprintln(w, line)
	}
	return errors.Join(w.Flush(), wrong)
}

// pluginLines shows which plugin settings are there; their values may be secrets.
func pluginLines(cfg config) []string {
	var lines []string
	for backend, settings := range cfg.PluginSettings {
		for name := range settings {
			lines = append(lines, fmt.Sprintf("AIRLOCK_PLUGIN_%s_%s\t(set)\tenvironment", strings.ToUpper(backend), strings.ToUpper(name)))
		}
	}
	slices.Sort(lines)
	return lines
}

// configTable is the table of docs/configuration.md.
func configTable() (string, error) {
	cfg, err := loadConfig(nil)
	if err != nil {
		return "", err
	}
	perHost := map[string]string{"AIRLOCK_WORKERS": "2 × cores", "AIRLOCK_POOL": "as `AIRLOCK_WORKERS`", "AIRLOCK_WAITERS": "by memory"}
	var b strings.Builder
	b.WriteString("| Variable | Default | What it is |\n|---|---|---|\n")
	for _, v := range variables() {
		value := "`" + v.show(&cfg) + "`"
		if value == "``" {
			value = ""
		}
		if text, ok := perHost[v.name]; ok {
			value = text
		}
		name := "`" + v.name + "`"
		if v.secret {
			name += " (or `…_FILE`)"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, value, v.about)
	}
	b.WriteString("| `AIRLOCK_PLUGIN_<NAME>_<SETTING>` (or `…_FILE`) |  | settings of one sandbox backend ([docs](backends/README.md)) |\n")
	return b.String(), nil
}
