package soak_test

import (
	"encoding/json"
	"fmt"
	"strings"
)

// isWholePage reports whether text is a complete page whose title begins so. Error and login pages
// have other titles.
func isWholePage(text, title string) bool {
	return strings.HasPrefix(strings.ToLower(text), "<!doctype html>") &&
		strings.HasSuffix(strings.TrimSpace(text), "</html>") &&
		strings.Contains(text, "<title>"+title) && strings.Contains(text, `id="live"`)
}

// checkHealth returns an error unless an answer to GET /health says that all is well.
func checkHealth(text []byte) error {
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
