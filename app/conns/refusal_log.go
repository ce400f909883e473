package conns

import "time"

// logPause is the shortest time between two log lines about refusals.
const logPause = time.Minute

// tell counts a refused connection (0) or a closed one (1), and logs the counts once a minute.
func (s *Set) tell(total *int64, which int) {
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
	s.untold[which]++
	now := s.cfg.Now()
	if !s.logged.IsZero() && now.Sub(s.logged) < logPause {
		return 0, 0, false
	}
	refused, closed = s.untold[0], s.untold[1]
	s.logged, s.untold = now, [2]int64{}
	return refused, closed, true
}
