package app

import (
	"fmt"
	"time"
)

// FormatDuration returns a duration in the largest dividing unit, such as 24 hours.
func FormatDuration(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return Count(int64(d/time.Hour), "hour")
	case d%time.Minute == 0:
		return Count(int64(d/time.Minute), "minute")
	case d%time.Second == 0:
		return Count(int64(d/time.Second), "second")
	}
	return fmt.Sprintf("%g seconds", d.Seconds())
}
