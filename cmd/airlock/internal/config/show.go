package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
)

const configUsage = `Usage: airlock config [--markdown]

Prints the effective configuration and where each value comes from, secrets masked, and then what is wrong with it.
--markdown prints the table of all variables instead.
`

// Show is airlock config.
func Show(c cli.Console, args []string) error {
	a, err := cli.Parse(c.Out, "config --markdown", configUsage, args)
	if err != nil {
		return err
	}
	if a.On("markdown") {
		table, err := configTable()
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(c.Out, table)
		return err
	}
	cfg, wrong := Load(c.Env)
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	for _, v := range Variables() {
		from := cfg.origin[v.Name]
		if from == "" {
			from = "default"
		}
		value := v.show(&cfg)
		switch {
		case cfg.refused[v.Name]: // what it would be without is not what was set
			value = "(refused)"
		case value == "":
			value = "-"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", v.Name, value, from)
	}
	for _, line := range pluginLines(cfg) {
		fmt.Fprintln(w, line)
	}
	return errors.Join(w.Flush(), wrong)
}

// pluginLines shows which plugin settings are there; their values may be secrets.
func pluginLines(cfg Config) []string {
	var lines []string
	for backend, settings := range cfg.PluginSettings {
		for name := range settings {
			lines = append(lines, fmt.Sprintf("AIRLOCK_PLUGIN_%s_%s\t(set)\tenvironment", strings.ToUpper(backend),
				strings.ToUpper(name)))
		}
	}
	slices.Sort(lines)
	return lines
}

// configTable is the table of docs/configuration.md.
func configTable() (string, error) {
	cfg, err := Load(nil)
	if err != nil {
		return "", err
	}
	perHost := map[string]string{"AIRLOCK_WORKERS": "2 × cores", "AIRLOCK_POOL": "as `AIRLOCK_WORKERS`",
		"AIRLOCK_WAITERS": "by memory"}
	var b strings.Builder
	b.WriteString("| Variable | Default | Meaning |\n|---|---|---|\n")
	for _, v := range Variables() {
		value := "`" + v.show(&cfg) + "`"
		if value == "``" {
			value = ""
		}
		if text, ok := perHost[v.Name]; ok {
			value = text
		}
		name := "`" + v.Name + "`"
		if v.secret {
			name = "`" + v.Name + "[_FILE]`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, value, v.about)
	}
	b.WriteString("| `AIRLOCK_PLUGIN_<NAME>_<SETTING>[_FILE]` |  | settings of one sandbox backend " +
		"([docs](backends/README.md)) |\n")
	return b.String(), nil
}
