package docker

import (
	"context"
	"time"

	"github.com/containerd/errdefs"
	"github.com/moby/moby/client"
)

// listen calls outOfMemory with the box's id when the kernel ended a process for memory, until ctx
// ends. Where a socket proxy refuses to tell, the reason is known only once the guest has ended.
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
