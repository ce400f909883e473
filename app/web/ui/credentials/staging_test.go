package credentials

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/computclaw/airlock/app/dotenv"
)

func TestStagingForgets(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s staging
		s.put("one", []dotenv.Entry{{Name: "A"}})
		time.Sleep(stageLife / 2)
		s.put("one", []dotenv.Entry{{Name: "B"}})
		time.Sleep(stageLife * 3 / 4)
		if got := s.get("one"); len(got) != 1 || got[0].Name != "B" || s.get("two") != nil {
			t.Errorf("not the newer ones of the session: %v", got)
		}
		time.Sleep(stageLife)
		if s.get("one") != nil {
			t.Error("kept for ever")
		}
	})
}
