package match

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Weak patterns need their case; words stand by themselves, as set.
func TestClasses(t *testing.T) {
	f := New([]Pattern{{Text: "Password1"}, {Text: "Sommer2024", Class: Weak}, {Text: "hunter", Class: Word}, {Text: "p@s!", Class: Word}})
	for text, want := range map[string]string{
		"xPASSWORD1y": "x[PASSWORD1]y", "xSommer2024y": "x[Sommer2024]y", "SOMMER2024 sommer2024": "SOMMER2024 sommer2024",
		`\u0053ommer%32024`: `[\u0053ommer%32024]`, "c29tbWVyMjAyNA": "c29tbWVyMjAyNA", "U29tbWVyMjAyNA": "[U29tbWVyMjAyN]A",
		"hunter": "[hunter]", "a hunter.": "a [hunter].", "hunters": "hunters", "Hunter": "Hunter", "%68unter": "%68unter",
		"_hunter": "_hunter", "x:p@s!y": "x:[p@s!]y", "(p@s!)": "([p@s!])",
	} {
		if got := found(f, text); got != want {
			t.Errorf("%q is found as %q", text, got)
		}
	}
}

// Any 16 bytes of a pattern with parts are found, in any form, with their surroundings.
func TestParts(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		value := rapid.StringOfN(rapid.SampledFrom([]rune("abcdefghijkmnopqrstuvwxyzABCDEF0123456789/+=_-")), 16, 80, -1).Draw(r, "value")
		from := rapid.IntRange(0, len(value)-PartLength).Draw(r, "from")
		to := rapid.IntRange(from+PartLength, len(value)).Draw(r, "to")
		form := rapid.SampledFrom([]string{"plain", "escaped", "hex", "base64"}).Draw(r, "form")
		part := value[from:to]
		text := map[string]string{"plain": part, "escaped": each(part, "&#%d;"), "hex": hex.EncodeToString([]byte(part)),
			"base64": base64.StdEncoding.EncodeToString([]byte("::" + part))}[form]
		start := 2
		if form == "base64" {
			start += 3 // what it shares with the colons stays
		}
		all := "! " + text + " !"
		for _, m := range New([]Pattern{{Text: value, Parts: true}}).Find([]byte(all)) {
			if m.Start <= start && m.End >= len(all)-5 {
				return
			}
		}
		r.Fatalf("%q of %q is not found in %q: %v", part, value, all, New([]Pattern{{Text: value, Parts: true}}).Find([]byte(all)))
	})
}

// No part is found of a pattern without parts, none that is shorter, and with parts none within a match.
func TestNoOtherParts(t *testing.T) {
	const value = "q7Vt9Lr2Xc4Zb8Nm1Kp6Hs3Wd5Yf0Gj"
	if got := strong(value).Find([]byte(value[1:])); len(got) > 0 {
		t.Errorf("a part of a sealed value is found: %v", got)
	}
	f := New([]Pattern{{Text: value, Parts: true}})
	for from := range len(value) - 15 {
		if got := f.Find([]byte("!" + value[from:from+15] + "!")); len(got) > 0 {
			t.Errorf("%q is found: %v", value[from:from+15], got)
		}
	}
	if got := f.Find([]byte("x" + value + value[:20])); len(got) != 2 || got[0].Part || !got[1].Part {
		t.Errorf("%v", got)
	}
}

// A long pattern is found in blocks, each of which stands where the one before it ends.
func TestBlocks(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "%d:%x,", i, i*7919)
	}
	value := b.String()
	f := strong(value)
	for name, text := range map[string]string{"plain": value, "path": each(value, "%%%02x"), "hex": hex.EncodeToString([]byte(value))} {
		got := f.Find([]byte("x " + text + " y"))
		end := 2
		for i, m := range got {
			if m.Start != end || m.Block != i+1 {
				t.Fatalf("%s: block %d of %v", name, i, got)
			}
			end = m.End
		}
		if end != 2+len(text) {
			t.Errorf("%s: found up to %d of %d", name, end, 2+len(text))
		}
	}
	if got := f.Find([]byte(value[300:])); len(got) == 0 || slices.ContainsFunc(got, func(m Match) bool { return m.Part }) {
		t.Errorf("%v", got)
	}
}

// TestPartsReachOverBlocks: a part that ends just behind a block of its value is found whole.
func TestPartsReachOverBlocks(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "%x.", i*7919)
	}
	value := b.String()
	f := New([]Pattern{{Text: value, Parts: true}})
	for from := range 10 {
		for length := PartLength; length < 3*MaxBlock; length++ {
			text, want := "("+value[from:from+length]+")", "("+strings.Repeat("#", length)+")"
			if got := string(coverage(text, f.Find([]byte(text)))); got != want {
				t.Fatalf("%d bytes from %d on: %s", length, from, got)
			}
		}
	}
}

// TestPartsAreWhole: parts that continue behind another are kept, and a whole pattern is no part.
func TestPartsAreWhole(t *testing.T) {
	t.Parallel()
	const text = "gravel.mango.battery.staple.horse"
	f := New([]Pattern{{Text: text, Parts: true}})
	for _, part := range []string{text[:len(text)-1], text[1:], text[5:25]} {
		end := 0
		for _, m := range f.Find([]byte("key: " + part + " (see log)")) {
			end = max(end, m.End)
		}
		if end != len("key: "+part) {
			t.Errorf("%s is found up to %d", part, end)
		}
	}
	for i, m := range f.Find([]byte(text + text)) {
		if m.Part || m.Start != i*len(text) || m.End != (i+1)*len(text) {
			t.Errorf("%+v", m)
		}
	}
}
