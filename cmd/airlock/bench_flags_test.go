package main

import (
	"bytes"
	"strings"
	"testing"
)

// What is measured alone ignored every other flag, and a number with which nothing is measured gave a table of nothing.
func TestBenchRefusesFlagsThatExcludeEachOther(t *testing.T) {
	for args, message := range map[string]string{
		"--parked 5 --speed":           "--parked and --speed exclude each other",
		"--speed --parked 5":           "--parked and --speed exclude each other",
		"--parked 5 --overload":        "--parked and --overload exclude each other",
		"--parked 5 --rounds 3":        "--parked and --rounds exclude each other",
		"--parked 5 --seconds 3":       "--parked and --seconds exclude each other",
		"--overload --backends":        "--overload and --backends exclude each other",
		"--overload --peer true":       "--overload and --peer exclude each other",
		"--overload --seconds 0":       "--seconds is 0; at least 1 is needed",
		"--parked 0":                   "--parked is 0; at least 1 is needed",
		"--parked -1":                  "--parked is -1; at least 1 is needed",
		"--house --pages 5":            "--pages is of no use to what is to be measured",
		"--redaction --rounds 5":       "--rounds is of no use to what is to be measured",
		"--egress --peer true":         "--peer is of no use to what is to be measured",
		"--speed --history 5":          "--history is of no use to what is to be measured",
		"--backends --output 5":        "--output is of no use to what is to be measured",
		"--speed --rounds 0":           "--rounds is 0; at least 1 is needed",
		"--redaction --seconds -2":     "--seconds is -2; at least 1 is needed",
		"--house --history 0 --egress": "--history is 0; at least 1 is needed",
	} {
		var out, err bytes.Buffer
		code := run(t.Context(), console{in: strings.NewReader(""), out: &out, err: &err}, append([]string{"bench"}, strings.Fields(args)...))
		lines := strings.Split(strings.TrimSpace(err.String()), "\n")
		if last := lines[len(lines)-1]; code != 2 || last != "airlock: bench: "+message || out.Len() > 0 {
			t.Errorf("%s: code %d, %s, %s", args, code, last, out.String())
		}
	}
	for _, args := range []string{"", "--seconds 3", "--speed --rounds 3 --seconds 1 --pages 0 --peer true", "--house --history 5 --output 1", "--parked 5", "--overload --seconds 5", "--backends --speed --pages 0 --rounds 2", "--egress --redaction --rounds 2 --seconds 2"} {
		if err := benchFits(benchParsed(t, args)); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
}

func benchParsed(t *testing.T, args string) *flags {
	t.Helper()
	f := newFlags("bench", benchUsage)
	f.list("peer")
	for _, name := range []string{"rounds", "pages", "seconds", "history", "output", "parked"} {
		f.Int(name, 0, "")
	}
	for _, name := range []string{"speed", "redaction", "egress", "backends", "house", "overload"} {
		f.Bool(name, false, "")
	}
	_, err := f.parse(&bytes.Buffer{}, strings.Fields(args))
	must(t, err)
	return f
}
