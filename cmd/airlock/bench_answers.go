package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// wholePage reports whether text is a page of the UI for people who are logged in, from its first line to its last, whose title begins like that. Pages that say what went wrong have
// other titles, and so has the one to log in.
func wholePage(text, title string) bool {
	return strings.HasPrefix(strings.ToLower(text), "<!doctype html>") && strings.HasSuffix(strings.TrimSpace(text), "</html>") &&
		strings.Contains(text, "<title>"+title) && strings.Contains(text, `id="live"`)
}

// wellHealth is an error unless an answer to GET /health says that everything is as it should be.
func wellHealth(text []byte) error {
	var h struct {
		Status  string `json:"status"`
		Sandbox struct {
			Ready    bool `json:"ready"`
			Checking bool `json:"checking"`
		} `json:"sandbox"`
		Retired bool `json:"retired"`
		Paused  bool `json:"paused"`
		Full    bool `json:"full"`
	}
	if err := json.Unmarshal(text, &h); err != nil {
		return err
	}
	if h.Status != "ok" || !h.Sandbox.Ready || h.Sandbox.Checking || h.Retired || h.Paused || h.Full {
		return fmt.Errorf("/health says %s", text)
	}
	return nil
}
