package uix

import "testing"

// TestCellsAreNoFormulas: spreadsheets must not run agents' texts.
func TestCellsAreNoFormulas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "plain": "plain", "=1+1": "'=1+1", "+1": "'+1", "-1": "'-1",
		"@x": "'@x", "\t=1": "'\t'=1", "\r=1": "'\r'=1", "＝1": "'＝1", "a=1": "a=1",
		"a;=1+1": "a;'=1+1", "a\n@x": "a\n'@x", `a; "+1`: `a; "'+1`, ";;=1": ";;'=1", "\tx": "'\tx",
		"a; b=1": "a; b=1"} {
		if got := cell(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := cell(int64(-5)); got != "-5" {
		t.Errorf("a number became %q", got)
	}
}
