package match

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// coverage returns which bytes of a text matches cover.
func coverage(text string, matches []Match) []byte {
	out := []byte(text)
	for _, m := range matches {
		for i := m.Start; i < m.End; i++ {
			out[i] = '#'
		}
	}
	return out
}

// Whatever pieces a text comes in, whenever it is settled, the same is found.
func TestScannerFindsWhatFindFinds(t *testing.T) {
	const value = "sk-live_51Hx/Q+zT7Kq9vLm2Rt5"
	f := New([]Pattern{{Text: value}, {Text: "q7Vt9Lr2Xc4Zb8Nm1Kp6Hs3Wd5Yf0Gj"}, {Text: "Sommer2024", Class: Weak}, {Text: "hunter", Class: Word}})
	spellings := []string{"a line\n", "{\"a\": 1}\n", "hunter ", "Sommer2024", "Hunter", strings.Repeat("x", 500), "[", "}", "\n   "}
	for name, text := range forms(value) {
		if name != "0x" { // of which the first sign is no part
			spellings = append(spellings, text)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(spellings), 1, 8).Draw(r, "text"), " ")
		precise := rapid.Bool().Draw(r, "precise")
		s := f.Scanner()
		var got []Match
		for rest := text; rest != ""; {
			n := min(len(rest), rapid.IntRange(1, 60).Draw(r, "piece"))
			got = append(got, s.Write([]byte(rest[:n]))...)
			rest = rest[n:]
			at := s.Closed()
			if precise {
				at = s.Open()
			}
			got = append(got, s.Settle(at)...)
		}
		got = append(got, s.Close()...)
		if want := coverage(text, f.Find([]byte(text))); string(coverage(text, got)) != string(want) {
			r.Fatalf("of %q\n%q was found instead of\n%q", text, coverage(text, got), want)
		}
	})
}

// A match across the edge of a window is found whole.
func TestWindowsHideNothing(t *testing.T) {
	const value = "sk-live_51Hx/Q+zT7Kq9vLm2Rt5"
	f := strong(value)
	for _, form := range forms(value) {
		for before := window - len(form) - 20; before < window+20; before += 7 {
			text := strings.Repeat("a line.\n", 10+window/8)[:before] + " " + form + " "
			whole := f.Find([]byte(" " + form + " "))
			got := f.Find([]byte(text + strings.Repeat("!", window)))
			if len(got) != len(whole) || got[0].Start != whole[0].Start+before || got[0].End != whole[0].End+before {
				t.Fatalf("%.40q behind %d bytes: %v instead of %v", form, before, got, whole)
			}
		}
	}
}

// TestHoleH4MemoryFollowsTheWindow: a text of 4 MiB took up to 3 GiB. The worst texts take no more when they are
// longer.
func TestHoleH4MemoryFollowsTheWindow(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would take the working memory away
	long := strings.Repeat("MIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6AgEAAkEA+/==\n", 1<<16/53)
	f := New(append(keys(20, true), Pattern{Text: benchmarkKey, Parts: true}, Pattern{Text: long, Parts: true}))
	for name, unit := range map[string]string{
		"escapes": "%252541", "backslashes": `\\`, "references": "&amp;", "numbers": "1, ", "compact": "1,", "breaks": "s\n", "hex": "0x",
		"base64": "QUFBQUFBQUFB", "begun": benchmarkKey[:30] + "#", "long": long[:200] + "#", "blanks": " ", "zeros": "a\x00", "names": `"1":2,`,
	} {
		taken := func(size int) uint64 {
			var before, after runtime.MemStats
			text := []byte(fit(unit, size))
			runtime.ReadMemStats(&before)
			s := f.Scanner()
			for from := 0; from < len(text); from += 1 << 16 {
				s.Write(text[from:min(from+1<<16, len(text))])
			}
			s.Close()
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		taken(1 << 17)
		if large := taken(1 << 20); large > 24<<20 {
			t.Errorf("%s: 1 MiB takes %d KiB", name, large>>10)
		}
	}
}

// Text that takes too long is reported unsearched.
func TestBudget(t *testing.T) {
	f := New([]Pattern{{Text: strings.Repeat("a", 60)}, {Text: strings.Repeat("ab", 60)}, {Text: strings.Repeat("aab", 60)}})
	got := f.Find([]byte(strings.Repeat(`\u0061%2561\\u0062`, 1<<15)))
	if len(got) == 0 || got[0].Pattern != Unchecked {
		t.Errorf("%d matches, the first %v", len(got), got[:min(1, len(got))])
	}
	for name, text := range hostile(1 << 17) {
		for _, m := range strong(benchmarkKey).Find([]byte(text)) {
			if m.Pattern == Unchecked {
				t.Errorf("%s can't be checked", name)
			}
		}
	}
}

// Blanks, which are held beyond the window, are not counted anew for each piece.
func TestBlanksAreHeldInLinearTime(t *testing.T) {
	s := strong(benchmarkKey).Scanner()
	from := cpu()
	most := 0
	for range 1 << 18 {
		s.Write([]byte(" "))
		most = max(most, len(s.data))
	}
	if took := cpu() - from; took > 2 || most > window+maxLayout+window/2 {
		t.Errorf("256 KiB took %.1f s, %d bytes are held", took, most)
	}
}

// TestRepetitiveValueIsBounded: 64 KiB of a repeated value in 4 MiB of it took 101 s. A place is
// compared with few entries, and a window's work ends with its budget.
func TestRepetitiveValueIsBounded(t *testing.T) {
	for _, period := range []int{1, 16, 64, 300} {
		unit := string(logText(period))
		f := New([]Pattern{{Text: fit(unit, 64<<10), Parts: true}})
		for i := range f.entries {
			alike := 0
			for j := int32(i); j != none; j = f.entries[j].same {
				alike++
			}
			if alike > maxAlike {
				t.Fatalf("period %d: a place is compared with %d entries", period, alike)
			}
		}
		s := f.borrow()
		f.find(s, []byte(fit(unit, window+f.Reach())), view{})
		if most := (maxPasses + 1) * (window + f.Reach()); s.passed > most {
			t.Errorf("period %d: %d bytes are read, more than %d", period, s.passed, most)
		}
	}
}
