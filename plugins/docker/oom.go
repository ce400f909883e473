package docker

import (
	"context"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// listen calls outOfMemory for each box with an out-of-memory kill, until ctx ends. If a socket
// proxy refuses the events, only the guest's end shows the reason.
func (h *host) listen(ctx context.Context, outOfMemory func(box string)) {
	filters := client.Filters{}.Add("type", "container").Add("event", "oom").Add("label", labelInstance+"="+h.instance)
	const first, longest = 100 * time.Millisecond, 10 * time.Second
	for wait := first; ; wait = min(2*wait, longest) {
		events := h.api.Events(ctx, client.EventsListOptions{Filters: filters})
		refused := false
		for open := true; open; {
			select {
			case event := <-events.Messages:
				outOfMemory(event.Actor.Attributes[labelBox])
				wait = first
			case err := <-events.Err:
				open, refused = false, errdefs.IsPermissionDenied(err)
			}
		}
		if refused {
			return
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
	}
}
