// Package underload checks answers of a server that is under load, for benchmarks and tests.
package underload

import (
	"encoding/json"
	"fmt"
	"strings"
)

// WholePage reports whether text is a complete page of the UI for somebody who is logged in, whose
// title begins with title. Pages of errors and the one to log in have other titles.
func WholePage(text, title string) bool {
	return strings.HasPrefix(strings.ToLower(text), "<!doctype html>") &&
		strings.HasSuffix(strings.TrimSpace(text), "</html>") &&
		strings.Contains(text, "<title>"+title) && strings.Contains(text, `id="live"`)
}

// CheckHealth returns an error unless an answer to GET /health says that everything is as it should
// be.
func CheckHealth(text []byte) error {
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
