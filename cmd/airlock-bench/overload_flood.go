package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/computclaw/airlock/app"
)

// flooded is what was accepted of the profile that floods: by id, what it has to return. It is safe
// for concurrent use.
type flooded struct {
	mu   sync.Mutex
	last atomic.Int64
	ids  map[string]string
}

func (f *flooded) add(id, n string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ids == nil {
		f.ids = map[string]string{}
	}
	if f.ids[id] != "" || !strings.HasPrefix(id, "exec_") {
		return fmt.Errorf("two executions, or none, were accepted as %q", id)
	}
	f.ids[id] = n
	return nil
}

// flood fills the queue of one profile. There is room for all of it.
func (o *overload) flood(ctx context.Context) error {
	return o.each(make([]string, overloadQueued), func(int) error {
		wait, err := o.submit(ctx)
		if err == nil && wait > 0 {
			err = errors.New("a submission was refused before the queue was full")
		}
		return err
	})
}

// again submits for the profile that floods, as an agent does that obeys Retry-After and is one of
// many.
func (o *overload) again(ctx context.Context) {
	for o.pressing.Err() == nil {
		wait, err := o.submit(ctx)
		if err != nil {
			o.noteBroken(err)
		}
		rest(o.pressing, max(wait, time.Second))
	}
}

// submit sends one for the profile that floods. It is accepted or, if wait is more than 0, to be
// sent again after it.
func (o *overload) submit(ctx context.Context) (wait time.Duration, err error) {
	n := fmt.Sprint("flood-", o.flooded.last.Add(1))
	body, err := json.Marshal(map[string]any{"profile_id": o.profile, "script": echoScript,
		"inputs": map[string]string{"n": n}})
	if err != nil {
		return 0, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url+"/execute", strings.NewReader(string(body)))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := o.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err
	}
	switch response.StatusCode {
	case http.StatusAccepted:
		var x endedView
		if err := json.Unmarshal(text, &x); err != nil || x.Status != "pending" && x.Status != "running" {
			return 0, fmt.Errorf("a submission was accepted with %s: %w", text, err)
		}
		return 0, o.flooded.add(x.ID, n)
	case http.StatusTooManyRequests:
		o.refused.Add(1)
		return refusal(response.Header.Get("Retry-After"), text)
	}
	return 0, fmt.Errorf("a submission was answered with %s: %.300s", response.Status, text)
}

var queuedAlready = regexp.MustCompile(`^this profile has (\d+) executions waiting already$`)

// refusal is how long to wait after one, which has to say so, to be that of a full queue, and to
// have a next step.
func refusal(after string, text []byte) (time.Duration, error) {
	var told struct {
		Error struct{ Code, Message, Hint string }
	}
	seconds, err := strconv.Atoi(after)
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	waiting := 0
	if found := queuedAlready.FindStringSubmatch(told.Error.Message); found != nil {
		waiting, _ = strconv.Atoi(found[1])
	}
	if err != nil || seconds < 1 || told.Error.Code != string(app.CodeQueueFull) || told.Error.Hint == "" ||
		waiting < overloadQueued {
		return time.Second, fmt.Errorf("a submission was refused, to be sent again after %q s, with %.300s: %w", after, text,
			err)
	}
	return time.Duration(seconds) * time.Second, nil
}

// account looks for every execution that was accepted of the profile that floods: it waits, runs,
// or is completed with its own result, and there is none of which nobody was told. Nothing is
// submitted any more.
func (o *overload) account(ctx context.Context) (completed, waiting int, err error) {
	left := map[string]string{}
	for id, n := range o.flooded.ids {
		left[id] = n
	}
	for path := "/executions?limit=100"; path != ""; {
		var page struct {
			Executions []endedView `json:"executions"`
			Next       *string     `json:"next"`
		}
		text, err := o.get(ctx, path, o.profile)
		if err == nil {
			err = json.Unmarshal(text, &page)
		}
		if err != nil {
			return 0, 0, err
		}
		for _, x := range page.Executions {
			n, ok := left[x.ID]
			delete(left, x.ID)
			switch {
			case !ok:
				return 0, 0, fmt.Errorf("execution %s, which is %s, is there twice, or nobody was told that it was accepted", x.ID,
					x.Status)
			case x.Status == "pending" || x.Status == "running":
				waiting++
				continue
			case x.Status != "completed":
				return 0, 0, fmt.Errorf("execution %s ended as %s: %s", x.ID, x.Status, x.Error)
			}
			var whole endedView
			if err := o.call(ctx, http.MethodGet, "/executions/"+x.ID, nil, &whole); err != nil {
				return 0, 0, err
			}
			if err := whole.returned(`"` + n + `"`); err != nil {
				return 0, 0, err
			}
			completed++
		}
		path = ""
		if page.Next != nil {
			path = strings.TrimPrefix(*page.Next, o.url)
		}
	}
	if len(left) > 0 {
		return 0, 0, fmt.Errorf("%d executions that were accepted are lost, such as %v", len(left), left)
	}
	if waiting > overloadQueued+runningAtMost {
		return 0, 0, fmt.Errorf("%d executions wait, and there was to be room for %d", waiting, overloadQueued)
	}
	return completed, waiting, nil
}

// runningAtMost is more than run at once.
const runningAtMost = 64
