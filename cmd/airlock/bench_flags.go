package main

import (
	"flag"
	"fmt"
	"slices"
	"strconv"
)

// benchFits refuses flags of which one would be ignored, and numbers with which nothing is measured.
func benchFits(f *flags) error {
	var given []string
	f.Visit(func(one *flag.Flag) { given = append(given, one.Name) })
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(given, name) })
	}
	wrong := func(format string, args ...any) error {
		return usageError{message: "bench: " + fmt.Sprintf(format, args...), usage: f.usage}
	}
	parts := []string{"speed", "egress", "redaction", "backends", "house"}
	whole := !has(parts...)
	// What each of the others is for: a flag that nothing looks at is a mistake.
	uses := map[string]bool{
		"rounds": whole || has("speed", "egress", "backends"), "seconds": whole || has("speed", "redaction", "backends"),
		"pages": whole || has("speed"), "peer": whole || has("speed"), "history": whole || has("house"), "output": whole || has("house"),
	}
	for _, alone := range []string{"parked", "overload"} {
		if !has(alone) {
			continue
		}
		for _, name := range given {
			if name != alone && !(alone == "overload" && name == "seconds") {
				return wrong("--%s and --%s exclude each other", alone, name)
			}
		}
		return positive(f, wrong, "parked", "seconds")
	}
	for _, name := range given {
		if used, ok := uses[name]; ok && !used {
			return wrong("--%s is of no use to what is to be measured", name)
		}
	}
	return positive(f, wrong, "rounds", "seconds", "history", "output")
}

// positive refuses those that were given and are not more than 0.
func positive(f *flags, wrong func(string, ...any) error, names ...string) (err error) {
	f.Visit(func(one *flag.Flag) {
		if n, parse := strconv.Atoi(one.Value.String()); slices.Contains(names, one.Name) && (parse != nil || n < 1) {
			err = wrong("--%s is %s; at least 1 is needed", one.Name, one.Value)
		}
	})
	return err
}
