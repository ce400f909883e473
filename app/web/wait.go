package web

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
)

// waitParam reads ?wait=S, the seconds a call may be held open: 0 to 50, fractions allowed. 0 if absent.
func waitParam(c echo.Context) (time.Duration, error) {
	text := c.QueryParam("wait")
	if text == "" {
		return 0, nil
	}
	longest := app.MaxPollWait.Seconds()
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n <= longest) { // not NaN either
		return 0, fieldError(app.CodeInvalidField, "wait", "wait must be a number of seconds from 0 to 50", "Use ?wait=50 and call again for longer.")
	}
	return time.Duration(n * float64(time.Second)), nil
}

// Long polls that are held open at once: of one profile, so that none takes the places of the others, of all that no person has locked, since whoever reaches the port can
// make those, and of all.
const (
	maxProfileWaiters  = 64
	maxUnlockedWaiters = 512
	maxWaiters         = 2048
)

// errBusy refuses a long poll for which there is no place. Answering at once instead would set agents spinning.
var errBusy = app.E(app.CodeRateLimited, "too many calls are waiting already", "Wait 5 s, then call again; one waiting call per execution is enough.")

// waiters counts the long polls that are held open. It is safe for concurrent use.
type waiters struct {
	mu       sync.Mutex
	all      int
	unlocked int            // of these, for profiles that no person has locked
	profiles map[string]int // by handle
}

// hold takes a place, or returns errBusy. locked says whether a person has locked the profile.
func (w *waiters) hold(profile string, locked bool) (release func(), err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all >= maxWaiters || w.profiles[profile] >= maxProfileWaiters || !locked && w.unlocked >= maxUnlockedWaiters {
		return nil, errBusy
	}
	if w.profiles == nil {
		w.profiles = map[string]int{}
	}
	strange := 1
	if locked {
		strange = 0
	}
	w.all++
	w.unlocked += strange
	w.profiles[profile]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.all--
		w.unlocked -= strange
		if w.profiles[profile]--; w.profiles[profile] == 0 {
			delete(w.profiles, profile)
		}
	}, nil
}

// knownQuery refuses query parameters that a call doesn't take, so that a mistyped one is not silently ignored.
func knownQuery(c echo.Context, known ...string) error {
	for name := range c.QueryParams() {
		if !slices.Contains(known, name) {
			hint := "This call takes no query parameters."
			if len(known) > 0 {
				hint = "This call takes ?" + strings.Join(known, ", ?") + "."
			}
			if guess := app.Nearest(name, known); guess != "" {
				hint = "Did you mean ?" + guess + "? " + hint
			}
			return fieldError(app.CodeUnknownField, name, "the query parameter "+app.Clip(name, 60)+" is not known", hint)
		}
	}
	return nil
}
