package config

import (
	"slices"
	"strings"
	"testing"
)

func TestTemplateImports(t *testing.T) {
	for value, want := range map[string][]string{
		"": nil, "none": {}, "numpy": {"numpy"}, "pandas, csv,pandas,xml.etree.ElementTree": {"csv", "pandas",
			"xml.etree.ElementTree"},
	} {
		c, err := Load([]string{"AIRLOCK_TEMPLATE_IMPORTS=" + value})
		if err != nil || !slices.Equal(c.Imports, want) || (c.Imports == nil) != (want == nil) {
			t.Errorf("%q: %v, %v", value, c.Imports, err)
		}
		if again, err := Load([]string{"AIRLOCK_TEMPLATE_IMPORTS=" + showImports(&c)}); err != nil ||
			!slices.Equal(again.Imports, want) {
			t.Errorf("%q is shown as %q", value, showImports(&c))
		}
	}
	for _, value := range []string{"a,", ",", "a b", "a;b", "a..b", ".a", "1a", "none,a", "a-b", "a/b", "größe", "__import__('os')",
		strings.Repeat("a", 65), strings.Repeat("a.", 8) + "a"} {
		if _, err := Load([]string{"AIRLOCK_TEMPLATE_IMPORTS=" + value}); err == nil ||
			!strings.Contains(err.Error(), "AIRLOCK_TEMPLATE_IMPORTS: ") {
			t.Errorf("%.40q: %v", value, err)
		}
	}
	if _, err := Load([]string{"AIRLOCK_TEMPLATE_IMPORTS=" + strings.Repeat("a,", 100) + "a"}); err == nil ||
		!strings.Contains(err.Error(), "AIRLOCK_TEMPLATE_IMPORTS: more than 100 modules") {
		t.Errorf("101 modules: %v", err)
	}
}
