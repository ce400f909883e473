package web

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/live"
)

// How the event stream behaves.
const (
	heartbeat  = 20 * time.Second       // keeps proxies from closing it, and finds out who left
	nudgePause = 400 * time.Millisecond // between two nudges; what happens meanwhile melts into the next
	slowReader = 10 * time.Second       // who has not taken an event by then is dropped
)

// events tells the browser what changed, by topic and nothing more: pages fetch what they show with their own rights. It ends with the
// session, which is looked at with every heartbeat.
func (s *Server) events(c echo.Context) error {
	w, ctx := c.Response(), c.Request().Context()
	if err := keepOpen(w); err != nil {
		return err
	}
	sub := s.cfg.Hub.Subscribe()
	defer sub.Close()
	w.Header().Set(echo.HeaderContentType, "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	// What changed between the page and this subscription would be missed: connected makes the page look once more.
	if send(w, "event: connected\ndata: \n\n") != nil {
		return nil
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		text := ": still here\n\n"
		select {
		case <-ctx.Done():
			return nil
		case <-s.closing:
			return nil
		case <-beat.C:
			if _, err := s.cfg.Access.Session(ctx, sessionOf(c), c.RealIP()); err != nil {
				return nil //nolint:nilerr // the session is over, and so is its stream
			}
		case <-sub.C():
			text = nudges(sub)
		}
		if send(w, text) != nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(nudgePause):
		}
	}
}

// nudges writes one event per topic. Handles consist of letters and digits, so a topic never breaks a line.
func nudges(sub *live.Subscription) string {
	var b strings.Builder
	for _, topic := range sub.Topics() {
		fmt.Fprintf(&b, "event: %s\ndata: \n\n", topic)
	}
	return b.String()
}

func send(w http.ResponseWriter, text string) error {
	rc := http.NewResponseController(w)
	if err := rc.SetWriteDeadline(time.Now().Add(slowReader)); err != nil {
		return err
	}
	if _, err := w.Write([]byte(text)); err != nil {
		return err
	}
	return rc.Flush()
}
