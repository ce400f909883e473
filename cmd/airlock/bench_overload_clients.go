package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"
)

// again submits for the profile that floods, as an agent does that obeys Retry-After and is one of many.
func (o *overload) again(ctx context.Context) {
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.url+"/execute", strings.NewReader(`{"profile_id":"`+o.profile+`","script":"pass"}`))
		if err != nil {
			return
		}
		request.Header.Set("Content-Type", "application/json")
		response, err := o.client.Do(request)
		if err != nil {
			o.noteBroken(ctx, err)
			continue
		}
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
		switch {
		case response.StatusCode == http.StatusTooManyRequests && response.Header.Get("Retry-After") != "":
			o.refused.Add(1)
		case response.StatusCode != http.StatusAccepted:
			o.noteBroken(ctx, fmt.Errorf("a submission was answered with %s", response.Status))
		}
		wait, err := time.ParseDuration(response.Header.Get("Retry-After") + "s")
		if err != nil {
			wait = time.Second
		}
		rest(ctx, wait)
	}
}

// whole submits and waits for the end.
func (o *overload) whole(ctx context.Context, profile string) (id string, err error) {
	var x struct {
		ID     string `json:"execution_id"`
		Status string `json:"status"`
	}
	if err := o.call(ctx, http.MethodPost, "/execute?wait=50", map[string]any{"profile_id": profile, "script": "pass"}, &x); err != nil || x.Status == "completed" {
		return x.ID, err
	}
	return x.ID, o.until(ctx, x.ID, "completed")
}

// hold keeps a long poll open.
func (o *overload) hold(ctx context.Context, profile string) {
	for ctx.Err() == nil {
		if err := o.call(ctx, http.MethodGet, "/profiles/"+profile+"?wait=50", nil, nil); err != nil {
			o.noteBroken(ctx, err)
			rest(ctx, time.Second)
		}
	}
}

// follow reads an answer of the UI, a byte each time if it rests in between.
func (o *overload) follow(ctx context.Context, path string, pause time.Duration) {
	for ctx.Err() == nil {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url+path, nil)
		if err != nil {
			return
		}
		response, err := o.pages.Do(request)
		if err != nil {
			o.noteBroken(ctx, err)
			rest(ctx, time.Second)
			continue
		}
		if response.StatusCode != http.StatusOK {
			o.noteBroken(ctx, fmt.Errorf("%s was answered with %s", path, response.Status))
		}
		size := 4096
		if pause > 0 {
			size = 1
		}
		for buffer := make([]byte, size); ctx.Err() == nil; rest(ctx, pause) {
			if _, err := response.Body.Read(buffer); err != nil {
				break
			}
		}
		response.Body.Close()
	}
}

func (o *overload) page(ctx context.Context, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url+path, nil)
	if err != nil {
		return err
	}
	response, err := o.pages.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %d", path, response.StatusCode)
	}
	return nil
}

// paced makes one call after the other with a rest in between, for as long as length, and returns their times in order.
func (o *overload) paced(ctx context.Context, length time.Duration, call func() error) (times []time.Duration) {
	for end := time.Now().Add(length); time.Now().Before(end) && ctx.Err() == nil; rest(ctx, overloadBetween) {
		began := time.Now()
		if err := call(); err != nil {
			o.noteBroken(ctx, err)
			continue
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
