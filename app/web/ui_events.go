package web

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/web/httpx"
)

// How the event stream behaves.
const (
	heartbeat  = 20 * time.Second       // keeps proxies from closing it, finds out who left, and tells pages that it lives
	nudgePause = 400 * time.Millisecond // between two nudges; what happens meanwhile melts into the next
	nudgeShare = 10 * time.Millisecond  // added to the pause for each open page: many pages together ask no more often than some
	slowReader = 10 * time.Second       // who has not taken an event by then is dropped
)

// pause is how long a stream rests after it told something. It varies, so that pages that were nudged together don't come together every time.
func (s *Server) pause() time.Duration {
	d := nudgePause + time.Duration(s.streams.Load())*nudgeShare
	return d + rand.N(d/4)
}

// events tells the browser what changed, by topic and nothing more: pages fetch what they show with their own rights. It ends with the
// session, which is looked at with every heartbeat.
func (s *Server) events(c echo.Context) error {
	w, ctx := c.Response(), c.Request().Context()
	if err := httpx.KeepOpen(w); err != nil {
		return err
	}
	sub := s.cfg.Hub.Subscribe()
	defer sub.Close()
	w.Header().Set(echo.HeaderContentType, "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s.streams.Add(1)
	defer s.streams.Add(-1)
	// What changed between the page and this subscription would be missed: connected makes the page look once more. It tells which program answers now.
	if send(w, "event: connected\ndata: "+s.cfg.Version+"\n\n") != nil {
		return nil
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		text := "event: beat\ndata: \n\n"
		select {
		case <-ctx.Done():
			return nil
		case <-s.drain.Done():
			return nil
		case <-beat.C:
			if err := s.stillIn(c); err != nil {
				return nil //nolint:nilerr // the session is over, and so is its stream
			}
			if _, _, err := s.vault(ctx, vaultLookIn); err != nil {
				s.cfg.Log.Warn("the Vault could not be looked at", "error", err)
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
		case <-time.After(s.pause()):
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
