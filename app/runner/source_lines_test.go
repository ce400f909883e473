package runner

import (
	"testing"
	"time"
)

func TestARowHasTheLineOfItsRequest(t *testing.T) {
	t.Parallel()
	var s sourceLines
	s.setLast(50)
	start := time.Now()
	at := func(ms float64) time.Time { return start.Add(time.Duration(ms * float64(time.Millisecond))) }
	api, db := place{"api.test", 443}, place{"db.test", 5432}
	s.note(api, 12, at(200.5)) // claims may come in another order
	s.note(api, 7, at(0))
	s.note(api, 0, at(300))
	s.note(api, 99, at(300)) // beyond the script
	s.noteProgram(20, at(100))
	s.noteProgram(30, at(400))
	for _, c := range []struct {
		name         string
		p            place
		began, ended float64
		want         int
	}{
		{"the first request", api, 1, 50, 7},
		{"the same line again", api, 60, 90, 7},
		{"its claim was as quick", api, 201, 250, 12},
		{"its claim was late", api, 199.5, 250, 12},
		{"the request before ended before the claim", api, 199.5, 200, 7},
		{"an unknown line takes none away", api, 350, 360, 12},
		{"a request before any claim", api, -100, -50, 7},
		{"a program's", db, 150, 151, 20},
		{"a later program's", db, 500, 0, 30},
		{"before any program", db, 50, 51, 0},
		{"a name that was refused", place{"api.test", 0}, 1, 1, 7},
	} {
		if got := s.during(c.p, at(c.began), at(c.ended)); got != c.want {
			t.Errorf("%s: line %d, want %d", c.name, got, c.want)
		}
	}
}
