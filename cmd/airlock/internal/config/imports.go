package config

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/computclaw/airlock/app"
)

// maxImports bounds the modules that templates load: each box copies all of them.
const maxImports = 100

const noImports = "none"

var moduleName = regexp.MustCompile(`^[A-Za-z_]\w{0,63}(\.[A-Za-z_]\w{0,63}){0,7}$`)

func setImports(c *Config, v string) error {
	list := []string{}
	if v != noImports {
		for item := range strings.SplitSeq(v, ",") {
			module := strings.TrimSpace(item)
			if !moduleName.MatchString(module) || module == noImports {
				return fmt.Errorf("%q is not the name of a module, such as numpy or xml.etree.ElementTree",
					app.Clip(module, 80))
			}
			list = append(list, module)
		}
	}
	if len(list) > maxImports {
		return fmt.Errorf("more than %d modules", maxImports)
	}
	slices.Sort(list)
	c.Imports = slices.Compact(list)
	return nil
}

func showImports(c *Config) string {
	if c.Imports != nil && len(c.Imports) == 0 {
		return noImports
	}
	return strings.Join(c.Imports, ",")
}
