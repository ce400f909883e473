package enginetest

import (
	"errors"
	"time"

	"github.com/computclaw/airlock/plugins"
)

// What boxes of Measured have used.
const (
	MeasuredPeak = 7 << 20
	MeasuredTime = 30 * time.Millisecond
)

// Measured returns a usage that backends measure while boxes are open.
func Measured(string) (plugins.Usage, error) {
	return plugins.Usage{PeakMemory: MeasuredPeak, CPUTime: MeasuredTime}, nil
}

// Limited is the usage of a box that has hit a limit.
func Limited(string) (plugins.Usage, error) { return plugins.Usage{LimitHit: true}, nil }

// Unmeasured is the usage of a backend that doesn't measure open boxes.
func Unmeasured(string) (plugins.Usage, error) {
	return plugins.Usage{}, errors.New("not measured here")
}
