package httpx

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

// RateLimiter limits a rate per client, and tenfold for all together. It is safe for concurrent
// use.
type RateLimiter struct {
	perMinute int
	now       func() time.Time

	mu      sync.Mutex
	all     *rate.Limiter
	clients map[string]*rate.Limiter // by network
}

// maxClients bounds a RateLimiter's memory. Beyond it all clients are forgotten; the common limit
// still holds.
const maxClients = 10_000

// NewRateLimiter returns a limiter by the clock now.
func NewRateLimiter(perMinute int, now func() time.Time) *RateLimiter {
	return &RateLimiter{
		perMinute: perMinute, now: now, all: perMinuteLimit(10 * perMinute), clients: map[string]*rate.Limiter{},
	}
}

func perMinuteLimit(n int) *rate.Limiter { return rate.NewLimiter(rate.Limit(float64(n)/60), n) }

// Allow returns nil, or a refusal with Retry-After set.
func (l *RateLimiter) Allow(c echo.Context) error {
	wait := l.delay(c.RealIP(), l.now())
	if wait == 0 {
		return nil
	}
	seconds := strconv.Itoa(int(math.Ceil(wait.Seconds())))
	c.Response().Header().Set("Retry-After", seconds)
	return app.E(app.CodeRateLimited, "too many of these requests in a short time",
		"Wait "+seconds+" s, then send it again.")
}

// delay counts a request and returns 0 or the time until the next try.
func (l *RateLimiter) delay(address string, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := ClientNetwork(address)
	client := l.clients[key]
	if client == nil {
		if len(l.clients) >= maxClients {
			clear(l.clients)
		}
		client = perMinuteLimit(l.perMinute)
		l.clients[key] = client
	}
	own, all := client.ReserveN(now, 1), l.all.ReserveN(now, 1)
	wait := max(own.DelayFrom(now), all.DelayFrom(now))
	if wait > 0 { // a refused request counts for neither
		own.CancelAt(now)
		all.CancelAt(now)
	}
	return wait
}

// ClientNetwork returns the part of an address that counts as one client. address may be any text.
func ClientNetwork(address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	return conns.Network(addr)
}
