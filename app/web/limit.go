package web

import (
	"math"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/time/rate"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/conns"
)

// limiter bounds how often something happens per client address and altogether. It is safe for concurrent use.
type limiter struct {
	mu        sync.Mutex
	perMinute int
	all       *rate.Limiter
	addresses map[string]*rate.Limiter
}

// maxAddresses bounds the memory of a limiter. When it is full everything is forgotten; the limit for all addresses together still holds.
const maxAddresses = 10_000

func newLimiter(perMinute int) *limiter {
	return &limiter{perMinute: perMinute, all: every(10 * perMinute), addresses: map[string]*rate.Limiter{}}
}

func every(perMinute int) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(float64(perMinute)/60), perMinute)
}

// delay takes one from the address's share; it returns 0, or how long to wait before trying again.
func (l *limiter) delay(address string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := network(address)
	own := l.addresses[key]
	if own == nil {
		if len(l.addresses) >= maxAddresses {
			clear(l.addresses)
		}
		own = every(l.perMinute)
		l.addresses[key] = own
	}
	mine, everybodys := own.ReserveN(now, 1), l.all.ReserveN(now, 1)
	wait := max(mine.DelayFrom(now), everybodys.DelayFrom(now))
	if wait > 0 { // a refusal costs neither share anything
		mine.CancelAt(now)
		everybodys.CancelAt(now)
	}
	return wait
}

// network is what counts as one client, of an address that may be any text.
func network(address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	return conns.Network(addr)
}

// allow is nil if the limiter lets this client pass, else the refusal, with Retry-After set.
func (s *Server) allow(c echo.Context, l *limiter) error {
	wait := l.delay(c.RealIP(), s.cfg.Now())
	if wait == 0 {
		return nil
	}
	seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
	c.Response().Header().Set("Retry-After", seconds)
	return app.E(app.CodeRateLimited, "too many requests from this address", "Wait "+seconds+" s, then try again; a profile can be used for any number of executions.")
}
