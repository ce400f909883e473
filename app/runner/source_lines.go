package runner

import (
	"slices"
	"sync"
	"time"

	"github.com/computclaw/airlock/app"
)

// place is a host and port that a script asked for.
type place struct {
	host string // canonical
	port int    // 0 if it is not known
}

// entry returns the place as a host list has it; without a port it gets the usual ones.
func (p place) entry() app.Host {
	h := app.Host{Name: p.host}
	if p.port > 0 {
		h.Ports = []int{p.port}
	}
	return h
}

// lineUse says which line of the script used a place from a time on.
type lineUse struct {
	line int // 0 if it is not known
	at   time.Time
}

// useDelay is how much later than the first bytes of a request its claim may arrive while other
// requests to the same place are open: they take different ways out of the box.
const useDelay = 2 * time.Millisecond

// sourceLines are the script's lines that used each place, as the guest claims.
// It is safe for concurrent use.
type sourceLines struct {
	mu       sync.Mutex
	last     int                 // of the script
	byPlace  map[place][]lineUse // in the order of time
	programs []lineUse           // lines that started other programs, which make no claims
}

// setLast sets the number of the script's last line.
func (s *sourceLines) setLast(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = n
}

// note keeps a claim about a place.
func (s *sourceLines) note(p place, line int, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byPlace == nil {
		s.byPlace = map[place][]lineUse{}
	}
	s.byPlace[p] = s.addLocked(s.byPlace[p], line, at)
}

// noteProgram keeps a claim about the start of another program.
func (s *sourceLines) noteProgram(line int, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.programs = s.addLocked(s.programs, line, at)
}

// addLocked adds a claim in its place. A line beyond the script's last counts as unknown.
func (s *sourceLines) addLocked(list []lineUse, line int, at time.Time) []lineUse {
	if line > s.last {
		line = 0
	}
	i := len(list)
	for i > 0 && list[i-1].at.After(at) {
		i--
	}
	return slices.Insert(list, i, lineUse{line, at})
}

// lineOf returns the line that first asked for the place; 0 if it is not known.
func (s *sourceLines) lineOf(p place) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lineOfLocked(p)
}

func (s *sourceLines) lineOfLocked(p place) int {
	if line := firstLine(s.byPlace[p]); line > 0 {
		return line
	}
	first := 0
	for at, uses := range s.byPlace { // a resolver doesn't learn ports, and not every client names one
		line := firstLine(uses)
		if at.host == p.host && (p.port == 0 || at.port == 0) && line > 0 && (first == 0 || line < first) {
			first = line
		}
	}
	return first
}

// lineDuring returns the line of a request or connection to the place that began and ended then:
// the last one that was claimed before. Without any it is the line that started a program last.
// alone says that no other was open at that place meanwhile.
func (s *sourceLines) lineDuring(p place, began, ended time.Time, alone bool) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	until := began.Add(useDelay)
	if ended.After(began) && (alone || ended.Before(until)) {
		until = ended // what came after it was about the next
	}
	if line := lineBefore(s.byPlace[p], until); line > 0 {
		return line
	}
	if line := s.lineOfLocked(p); line > 0 {
		return line
	}
	return lineBefore(s.programs, until)
}

// aloneAtPlace reports of each row whether no other row of its host and port was open at the same
// time. All claims that arrive while one is alone are about it.
func aloneAtPlace(rows []app.Connection) []bool {
	alone := make([]bool, len(rows))
	byStart := make([]int, len(rows))
	for i := range rows {
		byStart[i] = i
	}
	slices.SortStableFunc(byStart, func(a, b int) int { return rows[a].StartedAt.Compare(rows[b].StartedAt) })
	end := func(i int) time.Time { return rows[i].StartedAt.Add(rows[i].Duration) }
	latest := map[place]int{} // the row that ends last
	for _, i := range byStart {
		p := place{rows[i].Host, rows[i].Port}
		before, ok := latest[p]
		alone[i] = !ok || !rows[i].StartedAt.Before(end(before))
		if ok && !alone[i] {
			alone[before] = false
		}
		if !ok || end(i).After(end(before)) {
			latest[p] = i
		}
	}
	return alone
}

func firstLine(uses []lineUse) int {
	for _, c := range uses {
		if c.line > 0 {
			return c.line
		}
	}
	return 0
}

func lineBefore(uses []lineUse, until time.Time) int {
	for _, c := range slices.Backward(uses) {
		if c.line > 0 && !c.at.After(until) {
			return c.line
		}
	}
	return 0
}

// ports returns the ports at which the host was asked for, sorted.
func (s *sourceLines) ports(host string) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []int
	for at := range s.byPlace {
		if at.host == host && at.port > 0 {
			list = append(list, at.port)
		}
	}
	slices.Sort(list)
	return list
}
