package instance_test

import (
	"testing"

	"github.com/computclaw/airlock/app/access/accesstest"
)

type desk struct{ *accesstest.Desk }

func newDesk(t testing.TB, change ...func(*accesstest.Desk)) *desk {
	t.Helper()
	return &desk{accesstest.New(t, change...)}
}
