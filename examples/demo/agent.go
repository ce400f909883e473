package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// agent is the agent's side: JSON over HTTP, and polling.
type agent struct {
	url    string
	client http.Client
	seen   bytes.Buffer // everything it was ever told
}

type profile struct {
	ID          string `json:"profile_id"`
	Locked      bool   `json:"locked"`
	SetupURL    string `json:"setup_url"`
	PairingCode string `json:"pairing_code"`
	Keys        []struct {
		Name        string `json:"name"`
		ValueExists bool   `json:"value_exists"`
	} `json:"keys"`
}

// execution is what GET /executions/{id} answers.
type execution struct {
	ID         string `json:"execution_id"`
	Status     string `json:"status"`
	LLMRequest *struct {
		RequestID string `json:"request_id"`
		Prompt    string `json:"prompt"`
	} `json:"llm_request"`
	Result     json.RawMessage `json:"result"`
	Error      string          `json:"error"`
	Stdout     string          `json:"stdout"`
	Stderr     string          `json:"stderr"`
	Redactions int             `json:"redactions"`
	TimeMS     int             `json:"execution_time_ms"`
	Backend    string          `json:"backend"`
	Isolation  string          `json:"isolation"`
	Network    []struct {
		Host    string `json:"host"`
		Port    int    `json:"port"`
		Verdict string `json:"verdict"`
		Rule    string `json:"rule"`
		Down    int64  `json:"bytes_down"`
		Hint    string `json:"hint"`
	} `json:"network"`
	Manifest struct {
		Result string `json:"result"`
	} `json:"manifest"`
}

// call sends a request and reads the answer into out. API errors have one shape: code, sentence,
// next step.
func (a *agent) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, a.url+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := a.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	a.seen.Write(text)
	if response.StatusCode >= 400 {
		var refused struct {
			Error struct{ Code, Message, Hint string }
		}
		_ = json.Unmarshal(text, &refused) // without it, the status says enough
		return fmt.Errorf("%s %s: %d %s: %s %s", method, path, response.StatusCode, refused.Error.Code,
			refused.Error.Message,
			refused.Error.Hint)
	}
	return json.Unmarshal(text, out)
}

// untilLocked waits for the person.
func (a *agent) untilLocked(ctx context.Context, id string) (p profile, err error) {
	for !p.Locked {
		if err = a.call(ctx, "GET", "/profiles/"+id+"?wait=50", nil, &p); err != nil {
			return p, err
		}
	}
	return p, nil
}

// execute submits a script, polls to its end, and answers its LLM questions.
func (a *agent) execute(ctx context.Context, profileID, script string, inputs any,
	llm func(prompt string) string) (x execution, err error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	submission := map[string]any{"profile_id": profileID, "script": script, "inputs": inputs}
	if err := a.call(ctx, "POST", "/execute", submission, &x); err != nil {
		return x, err
	}
	path := "/executions/" + x.ID
	for {
		x = execution{ID: x.ID}
		if err := a.call(ctx, "GET", path+"?wait=50", nil, &x); err != nil {
			return x, err
		}
		switch x.Status {
		case "pending", "running":
		case "awaiting_llm":
			answer := map[string]string{"request_id": x.LLMRequest.RequestID, "response": llm(x.LLMRequest.Prompt)}
			if err := a.call(ctx, "POST", path+"/respond", answer, new(execution)); err != nil {
				return x, err
			}
		default:
			return x, nil
		}
	}
}
