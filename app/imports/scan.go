package imports

import (
	"slices"

	"github.com/computclaw/airlock/app/python"
)

// AtTop returns the modules that a script's statements at column 0 may import, each once. What is
// imported from a module may be one in it, so that counts as one too.
func AtTop(script string) (modules []string) {
	for _, one := range python.Read(script).Imports {
		if !one.AtTop || one.Level > 0 {
			continue
		}
		modules = append(modules, one.Module)
		for _, name := range one.Names {
			modules = append(modules, one.Module+"."+name)
		}
	}
	slices.Sort(modules)
	return slices.Compact(modules)
}
