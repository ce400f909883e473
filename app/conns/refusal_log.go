package conns

import "time"

// logPause is the shortest time between two log lines about refusals.
const logPause = time.Minute

// logRefusal counts a refused connection (0) or a closed one (1), and logs the counts once a
// minute.
func (s *Set) logRefusal(total *int64, which int) {
	refused, closed, due := s.count(total, which)
	if due {
		s.cfg.Log.Warn("connection limit reached: refused new and closed waiting connections",
			"refused", refused, "closed", closed, "most", s.cfg.Most)
	}
}

func (s *Set) count(total *int64, which int) (refused, closed int64, due bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*total++
	s.unlogged[which]++
	now := s.cfg.Now()
	if !s.logged.IsZero() && now.Sub(s.logged) < logPause {
		return 0, 0, false
	}
	refused, closed = s.unlogged[0], s.unlogged[1]
	s.logged, s.unlogged = now, [2]int64{}
	return refused, closed, true
}
