package dashboard

import (
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
)

// TestTestedCredentials: only tests of the present value count; failures show.
func TestTestedCredentials(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	of := func(set, checked time.Duration, problem string) app.Credential {
		return app.Credential{Mode: app.ModeSealed, ValueSetAt: noon.Add(set), CheckedAt: noon.Add(checked), CheckError: problem,
			CheckProved: problem == ""}
	}
	list := []app.Credential{
		of(0, time.Hour, ""), of(0, 2*time.Hour, ""), of(2*time.Hour, time.Hour, ""), {Mode: app.ModeSealed}, {Mode: app.ModePlain},
	}
	if c, ok := testedCredentials(list); !ok || c.Word != "2 of 4 credentials" || c.Bad || !c.At.Equal(noon.Add(2*time.Hour)) {
		t.Errorf("%+v, %v", c, ok)
	}
	if c, _ := testedCredentials(append(list, of(0, time.Hour, "refused"))); !c.Bad {
		t.Error("a failed test is not told")
	}
	reached := of(0, time.Hour, "")
	reached.CheckProved = false
	if c, _ := testedCredentials(append(list, reached)); c.Word != "2 of 5 credentials" || c.Bad {
		t.Errorf("a test that proved nothing counts: %+v", c)
	}
	if _, ok := testedCredentials(list[4:]); ok {
		t.Error("nothing is sealed, and yet it counts")
	}
}
