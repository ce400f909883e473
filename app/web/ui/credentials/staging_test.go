package credentials

import (
	"testing"

	"github.com/computclaw/airlock/app/dotenv"
)

func TestStagingForgets(t *testing.T) {
	t.Parallel()
	var s staging
	entries := []dotenv.Entry{{Name: "A"}}
	if !s.put("one", entries) || s.get("one") == nil || s.get("two") != nil {
		t.Fatal("not kept by session")
	}
	newer := []dotenv.Entry{{Name: "B"}}
	s.put("one", newer)
	s.expire("one", entries) // a timer may already have fired
	if got := s.get("one"); len(got) != 1 || got[0].Name != "B" {
		t.Errorf("the newer ones are gone: %v", got)
	}
	s.expire("one", newer)
	if s.get("one") != nil {
		t.Error("kept for ever")
	}
	for i := range maxStages + 1 {
		if ok := s.put(string(rune('a'+i)), entries); ok != (i < maxStages) {
			t.Errorf("stage %d: %v", i, ok)
		}
	}
	s.put("a", nil)
	if !s.put("z2", entries) {
		t.Error("what was decided about still counts")
	}
	for i := range maxStages + 1 {
		s.put(string(rune('a'+i)), nil)
	}
	s.put("z2", nil)
}
