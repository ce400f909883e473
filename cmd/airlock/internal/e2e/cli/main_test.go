package cli_test

import (
	"testing"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

func TestMain(m *testing.M) { e2e.RunTests(m) }
