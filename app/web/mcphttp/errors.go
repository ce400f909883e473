package mcphttp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// maxPlain bounds the kept text of a library error, in bytes.
const maxPlain = 1 << 10

// Codes of JSON-RPC 2.0.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeMethodNotFound = -32601
)

// errorWriter turns the library's plain-text errors into JSON-RPC. It passes everything else.
type errorWriter struct {
	http.ResponseWriter
	message []byte // of the request
	status  int    // of a plain error; else 0
	text    bytes.Buffer
}

// Unwrap is for http.ResponseController.
func (w *errorWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader holds back a plain error's header.
func (w *errorWriter) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		w.status = status
		return
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write collects the text of a plain error.
func (w *errorWriter) Write(p []byte) (int, error) {
	if w.status == 0 {
		return w.ResponseWriter.Write(p)
	}
	w.text.Write(p[:min(len(p), maxPlain-w.text.Len())])
	return len(p), nil
}

// close answers a plain error in JSON-RPC. It keeps the status, as clients open a new session on
// 404, except for unknown methods.
func (w *errorWriter) close() {
	if w.status == 0 {
		return
	}
	var request struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	code, text := codeInvalidRequest, strings.TrimSpace(w.text.String())
	if json.Unmarshal(w.message, &request) != nil && len(w.message) > 0 {
		code, request.ID = codeParse, nil
	}
	switch {
	case strings.Contains(text, "JSON RPC not handled"):
		code, text = codeMethodNotFound, "this server does not know the method"
		if len(request.ID) > 0 {
			w.status = http.StatusOK
		}
	case strings.HasPrefix(text, "Accept must contain both"):
		text = "send the header Accept: application/json, text/event-stream"
	}
	if len(request.ID) == 0 {
		request.ID = json.RawMessage("null")
	}
	body, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": request.ID, "error": map[string]any{"code": code, "message": text},
	})
	if err != nil {
		panic("mcphttp: not encodable: " + err.Error()) // id was read as JSON
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Del("Content-Length")
	w.ResponseWriter.WriteHeader(w.status)
	_, _ = w.ResponseWriter.Write(body) // a client that is gone needs no answer
}
