package resolver

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain finds goroutines that outlive the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
