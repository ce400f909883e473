package dashboard

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
)

// How the event stream behaves.
const (
	eventPause   = 400 * time.Millisecond // between two events; later changes come with the next
	pausePerPage = 10 * time.Millisecond  // added for each open page, to bound requests
	eventTimeout = 10 * time.Second       // drops a reader that takes no event
	vaultMaxAge  = 15 * time.Second       // of the Vault's state while a page is open
)

// pause returns a stream's rest after an event. It varies, to spread the pages out.
func (h *Handlers) pause() time.Duration {
	d := eventPause + time.Duration(h.streams.Load())*pausePerPage
	return d + rand.N(d/4)
}

// Streams is how many event streams are open.
func (h *Handlers) Streams() int64 { return h.streams.Load() }

// events streams the topics of changes. Pages fetch content with their own rights. The stream ends
// with the session, which each heartbeat checks.
func (h *Handlers) events(c echo.Context) error {
	w, ctx := c.Response(), c.Request().Context()
	if err := httpx.RefuseBody(c.Request()); err != nil {
		return err
	}
	if err := httpx.KeepOpen(w); err != nil {
		return err
	}
	sub := h.Hub.Subscribe()
	defer sub.Close()
	w.Header().Set(echo.HeaderContentType, "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	h.streams.Add(1)
	defer h.streams.Add(-1)
	// Make the page look once more for changes before this subscription. The event carries the
	// server's version, which may be new.
	if sendEvents(w, "event: connected\ndata: "+h.Version+"\n\n") != nil {
		return nil
	}
	beat := time.NewTicker(uix.Heartbeat)
	defer beat.Stop()
	for {
		text := "event: beat\ndata: \n\n"
		select {
		case <-ctx.Done():
			return nil
		case <-h.Drain.Done():
			return nil
		case <-beat.C:
			if err := h.Check(c); err != nil {
				return nil //nolint:nilerr // the session is over
			}
			if _, err := h.Vault.State(ctx, vaultMaxAge); err != nil {
				h.Log.Warn("the state of the Vault could not be read", "error", err)
			}
		case <-sub.C():
			text = topicEvents(sub)
		}
		if sendEvents(w, text) != nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(h.pause()):
		}
	}
}

// topicEvents writes one event per topic. Handles have letters and digits only, so no topic breaks
// a line.
func topicEvents(sub *live.Subscription) string {
	var b strings.Builder
	for _, topic := range sub.Topics() {
		fmt.Fprintf(&b, "event: %s\ndata: \n\n", topic)
	}
	return b.String()
}

func sendEvents(w http.ResponseWriter, text string) error {
	rc := http.NewResponseController(w)
	if err := rc.SetWriteDeadline(time.Now().Add(eventTimeout)); err != nil {
		return err
	}
	if _, err := w.Write([]byte(text)); err != nil {
		return err
	}
	return rc.Flush()
}
