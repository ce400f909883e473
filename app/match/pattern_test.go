package match

import "testing"

// TestPartsAreWhole: of the parts around several seeds none is dropped that goes on behind another,
// and a whole pattern is no part.
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
