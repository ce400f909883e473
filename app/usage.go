package app

import "time"

// Usage sums up the executions that ended in a period.
type Usage struct {
	From, To time.Time  // the last bar reaches beyond now
	Bars     []UsageBar // oldest first
	Total    Figures
	Before   Figures // of the period of the same length before it
	Profiles []ProfileFigures
}

// UsageBar counts the ends of one stretch of time by status.
type UsageBar struct {
	Start  time.Time
	Counts map[Status]int64
}

// Total is the height of the bar.
func (b UsageBar) Total() (n int64) {
	for _, c := range b.Counts {
		n += c
	}
	return n
}

// Figures sum up executions that ended.
type Figures struct {
	Runs    int64
	Failed  int64 // error or timeout
	Counts  map[Status]int64
	Average time.Duration // of the run clock, over those that started
	P95     time.Duration // likewise, to two digits
}

// ErrorRate is the share that failed, 0 to 1.
func (f Figures) ErrorRate() float64 {
	if f.Runs == 0 {
		return 0
	}
	return float64(f.Failed) / float64(f.Runs)
}

// ProfileFigures are the figures of one profile.
type ProfileFigures struct {
	Handle, Profile string // Profile: description as of its last execution
	Figures
}
