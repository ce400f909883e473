package plugins

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ReadSettings gives each setting to its reader, in order of names, and collects the errors. It
// refuses a setting without a reader, such as a misspelt one, and names the valid variables.
func ReadSettings(backend string, settings map[string]string, readers map[string]func(value string) error) error {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		read := readers[name]
		if read == nil {
			read = func(string) error { return unknownSetting(backend, slices.Sorted(maps.Keys(readers))) }
		}
		if err := read(settings[name]); err != nil {
			return fmt.Errorf("setting %q: %w", name, err)
		}
	}
	return nil
}

func unknownSetting(backend string, names []string) error {
	variables := make([]string, 0, len(names))
	for _, name := range names {
		variables = append(variables, strings.ToUpper("AIRLOCK_PLUGIN_"+backend+"_"+name))
	}
	return fmt.Errorf("unknown setting; there are %s", strings.Join(variables, ", "))
}

// Text reads a setting that may be any text.
func Text(to *string) func(string) error {
	return func(value string) error {
		*to = value
		return nil
	}
}

// Bool reads a setting that is true or false, in the words that strconv.ParseBool knows.
func Bool(to *bool) func(string) error {
	return func(value string) (err error) {
		*to, err = strconv.ParseBool(value)
		return err
	}
}

// Path reads a setting that is an absolute path without detours.
func Path(to *string) func(string) error {
	return func(value string) error {
		if !filepath.IsAbs(value) || filepath.Clean(value) != value {
			return fmt.Errorf("%q is not a clean absolute path", value)
		}
		*to = value
		return nil
	}
}

// OneOf reads a setting that is one of several words.
func OneOf(to *string, words ...string) func(string) error {
	return func(value string) error {
		if !slices.Contains(words, value) {
			return fmt.Errorf("%q is none of %s", value, strings.Join(words, ", "))
		}
		*to = value
		return nil
	}
}
