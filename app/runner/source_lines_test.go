package runner

import (
	"slices"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
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
		alone        bool
		want         int
	}{
		{"the first request", api, 1, 50, false, 7},
		{"the same line again", api, 60, 90, false, 7},
		{"its claim was as quick", api, 201, 250, false, 12},
		{"its claim was late", api, 199.5, 250, false, 12},
		{"its claim was late, on a busy machine", api, 150, 250, true, 12},
		{"a late claim may be another's", api, 150, 250, false, 7},
		{"the request before ended before the claim", api, 199.5, 200, false, 7},
		{"an unknown line takes none away", api, 350, 360, false, 12},
		{"a request before any claim", api, -100, -50, false, 7},
		{"a program's", db, 150, 151, false, 20},
		{"a later program's", db, 500, 0, false, 30},
		{"before any program", db, 50, 51, false, 0},
		{"a name that was refused", place{"api.test", 0}, 1, 1, false, 7},
	} {
		if got := s.lineDuring(c.p, at(c.began), at(c.ended), c.alone); got != c.want {
			t.Errorf("%s: line %d, want %d", c.name, got, c.want)
		}
	}
}

func TestRowsKnowWhetherTheyWereAloneAtTheirPlace(t *testing.T) {
	t.Parallel()
	start := time.Now()
	row := func(host string, began, ended time.Duration) app.Connection {
		return app.Connection{Host: host, Port: 443, StartedAt: start.Add(began), Duration: ended - began}
	}
	got := aloneAtPlace([]app.Connection{
		row("a.test", 50, 60), row("a.test", 0, 10), row("a.test", 10, 20), // one after the other
		row("b.test", 0, 100), row("b.test", 10, 20), row("b.test", 90, 120), row("b.test", 120, 130), row("c.test", 5, 6),
	})
	if want := []bool{true, true, true, false, false, false, true, true}; !slices.Equal(got, want) {
		t.Errorf("alone %v, want %v", got, want)
	}
}
