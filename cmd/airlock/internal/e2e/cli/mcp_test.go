package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestModelContext runs an agent's flow through the protocol's library: over HTTP and stdio, with
// and without a model.
func TestModelContext(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t, "AIRLOCK_POOL=1", "AIRLOCK_WORKERS=2")
	profile := in.Admin("", "profile", "create", "--description", "mcp")
	in.Admin("", "profile", "lock", profile)
	other := in.PlaceProfile("bubblewrap")
	saveSkill(t, in, profile)
	for name, connect := range map[string]func(*sdk.Client) (*sdk.ClientSession, error){
		"http": func(c *sdk.Client) (*sdk.ClientSession, error) {
			return c.Connect(t.Context(),
				&sdk.StreamableClientTransport{Endpoint: in.URL + "/mcp", HTTPClient: &http.Client{Transport: bearing(profile)}},
				nil)
		},
		"stdio": func(c *sdk.Client) (*sdk.ClientSession, error) {
			command := exec.Command(in.Binary, "mcp", "--url", in.URL)
			command.Env = append(in.Env, "AIRLOCK_PROFILE="+profile)
			return c.Connect(t.Context(), &sdk.CommandTransport{Command: command}, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Run("with a model", func(t *testing.T) { modelAnswers(t, connect) })
			t.Run("without", func(t *testing.T) { agentAnswers(t, connect) })
			t.Run("skill", func(t *testing.T) { modelRunsSkill(t, connect) })
			t.Run("files", func(t *testing.T) { isNotOthers(t, in, other, modelMovesFiles(t, connect)) })
		})
	}
	t.Run("from nothing", func(t *testing.T) { onboards(t, in) })
}

const asking = "a = llm.complete('first?')\nb = llm.complete('second?')\nprint('out')\nset_result([a, b, inputs['n'] " +
	"+ 1])"

func modelAnswers(t *testing.T, connect func(*sdk.Client) (*sdk.ClientSession, error)) {
	var asked, reports atomic.Int64
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		//nolint:staticcheck // see app/mcp
		CreateMessageHandler: func(_ context.Context, req *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
			asked.Add(1)
			prompt, _ := req.Params.Messages[0].Content.(*sdk.TextContent)
			return &sdk.CreateMessageResult{Role: "assistant", Model: "m", //nolint:staticcheck // the same
				Content: &sdk.TextContent{Text: strings.ToUpper(prompt.Text)}}, nil
		},
		ProgressNotificationHandler: func(context.Context, *sdk.ProgressNotificationClientRequest) { reports.Add(1) },
	})
	session, err := connect(client)
	e2e.Must(t, err)
	defer session.Close()
	params := &sdk.CallToolParams{Name: "execute",
		Arguments: map[string]any{"script": asking, "inputs": map[string]any{"n": 41}}}
	params.SetProgressToken("here")
	got := called(t, session, params)
	if got.Status != "completed" || string(got.Result) != `["FIRST?","SECOND?",42]` || asked.Load() != 2 {
		t.Errorf("%+v, %d questions", got, asked.Load())
	}
}

func agentAnswers(t *testing.T, connect func(*sdk.Client) (*sdk.ClientSession, error)) {
	session, err := connect(sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil))
	e2e.Must(t, err)
	defer session.Close()
	got := called(t, session,
		&sdk.CallToolParams{Name: "execute", Arguments: map[string]any{"script": asking, "inputs": map[string]any{"n": 41}}})
	for _, words := range []string{"one", "two"} {
		if got.Status != "awaiting_llm" || got.Question.ID == "" {
			t.Fatalf("%+v", got)
		}
		got = called(t, session, &sdk.CallToolParams{Name: "respond",
			Arguments: map[string]any{"execution_id": got.ID, "request_id": got.Question.ID, "response": words}})
	}
	if got.Status != "completed" || string(got.Result) != `["one","two",42]` || got.Stdout != "out\n" {
		t.Errorf("%+v", got)
	}
	list, err := session.CallTool(t.Context(),
		&sdk.CallToolParams{Name: "list_executions", Arguments: map[string]any{"limit": 1}})
	e2e.Must(t, err)
	if list.IsError || !strings.Contains(textIn(list), got.ID) {
		t.Errorf("%s", textIn(list))
	}
}

// onboards starts without a profile, as an agent with only the address.
func onboards(t *testing.T, in *e2e.Instance) {
	session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: in.URL + "/mcp"}, nil)
	e2e.Must(t, err)
	defer session.Close()
	call := func(name string, args map[string]any) *sdk.CallToolResult {
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
		e2e.Must(t, err)
		return result
	}
	refused := call("execute", map[string]any{"script": "set_result(1)"})
	if !refused.IsError || !strings.Contains(textIn(refused), "unauthorized") ||
		!strings.Contains(textIn(refused), "create_profile") {
		t.Errorf("without a profile: %s", textIn(refused))
	}
	created := call("create_profile", map[string]any{"description": "revenue"})
	var p struct {
		ID       string `json:"profile_id"`
		SetupURL string `json:"setup_url"`
	}
	e2e.Must(t, json.Unmarshal([]byte(created.Content[0].(*sdk.TextContent).Text), &p))
	if !strings.HasPrefix(p.SetupURL, in.URL) || !strings.Contains(textIn(created), "A person has to act") {
		t.Errorf("%s", textIn(created))
	}
	keys := call("add_keys", map[string]any{"profile_id": p.ID,
		"keys": []any{map[string]any{"name": "API_TOKEN", "description": "reads revenue"}}})
	if keys.IsError {
		t.Fatalf("%s", textIn(keys))
	}
	early := call("execute", map[string]any{"profile_id": p.ID, "script": "set_result(1)"})
	if !early.IsError || !strings.Contains(textIn(early), "profile_unlocked") ||
		!strings.Contains(textIn(early), p.SetupURL) {
		t.Errorf("before the lock: %s", textIn(early))
	}
	in.Admin("a-value-of-the-tests", "credential", "set", "API_TOKEN", "--mode", "injected")
	in.Admin("", "profile", "lock", p.ID)
	if locked := call("read_profile", map[string]any{"profile_id": p.ID}); !strings.Contains(textIn(locked),
		`"locked":true`) {
		t.Errorf("%s", textIn(locked))
	}
	got := called(t, session,
		&sdk.CallToolParams{Name: "execute",
			Arguments: map[string]any{"profile_id": p.ID, "script": "set_result(len(settings.get('API_TOKEN')))"}})
	if got.Status != "completed" || string(got.Result) != "20" {
		t.Errorf("%+v", got)
	}
	wrong := call("execute", map[string]any{"profile_id": p.ID, "scrip": "1"})
	if !wrong.IsError || !strings.Contains(textIn(wrong), "Did you mean script?") {
		t.Errorf("%s", textIn(wrong))
	}
	failed := call("execute", map[string]any{"profile_id": p.ID, "script": "1/0"})
	if !failed.IsError || !strings.Contains(textIn(failed), "ZeroDivisionError") {
		t.Errorf("%s", textIn(failed))
	}
	if guide := call("skill", nil); !strings.Contains(textIn(guide), "set_result") {
		t.Error("the guide is not the guide")
	}
}

type modelView struct {
	e2e.Execution
	Skill    string `json:"skill"`
	Question struct {
		ID string `json:"request_id"`
	} `json:"llm_request"`
}

func called(t *testing.T, session *sdk.ClientSession, params *sdk.CallToolParams) (x modelView) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	result, err := session.CallTool(ctx, params)
	e2e.Must(t, err)
	text, ok := result.Content[0].(*sdk.TextContent)
	if !ok {
		t.Fatalf("%+v", result)
	}
	if err := json.Unmarshal([]byte(text.Text), &x); err != nil {
		t.Fatalf("%v: %s", err, text.Text)
	}
	return x
}

func textIn(r *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			b.WriteString(text.Text + "\n")
		}
	}
	return b.String()
}

// bearing adds a profile to each request.
type bearing string

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestModelContextForeignClient runs the flow through the official TypeScript library, a protocol
// version with sessions.
func TestModelContextForeignClient(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e2e.Must(t, os.CopyFS(dir, os.DirFS("testdata/mcp-client")))
	install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	in := e2e.StartInstance(t, "AIRLOCK_POOL=1", "AIRLOCK_WORKERS=2")
	profile := in.Admin("", "profile", "create", "--description", "mcp")
	in.Admin("", "profile", "lock", profile)
	run := exec.Command("node", "client.mjs", in.URL+"/mcp", profile)
	run.Dir = dir
	var stderr bytes.Buffer
	run.Stderr = &stderr
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	var said struct {
		Tools      []string
		Reports    int
		Text       string
		Structured modelView
		IsError    bool
	}
	e2e.Must(t, json.Unmarshal(out, &said))
	if said.IsError || said.Reports == 0 || string(said.Structured.Result) != `["FIRST?","SECOND?"]` ||
		!slices.Contains(said.Tools, "create_profile") {
		t.Errorf("%+v", said)
	}
}
