package mcp

import (
	"slices"
	"strings"

	"github.com/computclaw/airlock/app/apidocs"
)

// inTools replaces the API calls in a hint by tools.
func inTools(hint string) string {
	tools := apidocs.Tools()
	// The replacer takes the first match, so longer paths come first.
	slices.SortFunc(tools, func(a, b apidocs.Tool) int { return len(b.Path) - len(a.Path) })
	var names []string
	for _, tool := range tools {
		call := tool.Method + " " + tool.Path
		names = append(names, call+"?wait=50", tool.Name, call, tool.Name)
	}
	return strings.NewReplacer(names...).Replace(hint)
}
