package files

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain finds goroutines that outlive the tests.
func TestMain(m *testing.M) {
	// gorm never ends the sweeper of its statement cache
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("gorm.io/gorm/internal/lru.NewLRU[...].func1"))
}
