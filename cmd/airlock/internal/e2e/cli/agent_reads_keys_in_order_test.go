package cli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestKeysKeepTheirOrder: inputs and results show their keys as they were given, everywhere. Of equal
// keys the last counts, at the first one's place. The hash is that of the sorted form.
func TestKeysKeepTheirOrder(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t, "AIRLOCK_POOL=1")
	profile := in.Admin("", "profile", "create", "--description", "ordered")
	in.Admin("", "profile", "lock", profile)
	const (
		given  = `{"Mar": 1, "Jan": 2, "Feb": {"z": 1, "a": 2}, "Mar": 3}`
		shown  = `{"Mar":3,"Jan":2,"Feb":{"z":1,"a":2}}`
		sorted = `{"Feb":{"a":2,"z":1},"Jan":2,"Mar":3}`
		script = "assert list(inputs) == ['Mar', 'Jan', 'Feb']\n" + // no dict has equal keys
			"set_result.__globals__['result_json'] = str\nset_result('" + given + "')"
	)
	quoted, err := json.Marshal(script)
	e2e.Must(t, err)
	status, text, _ := in.Do(http.MethodPost, "/execute", profile, "application/json",
		[]byte(`{"script": `+string(quoted)+`, "inputs": `+given+`}`))
	var x e2e.Execution
	if e2e.Must(t, json.Unmarshal(text, &x)); status != http.StatusAccepted {
		t.Fatalf("%d %s", status, text)
	}
	in.Await(x, time.Minute)
	sum := sha256.Sum256([]byte(sorted))
	check := func(where string, in *e2e.Instance) {
		var v struct {
			Inputs, Result json.RawMessage
			Manifest       struct{ Result string }
		}
		_, text, _ := in.Do(http.MethodGet, "/executions/"+x.ID+"?include=inputs", profile, "", nil)
		if e2e.Must(t, json.Unmarshal(text, &v)); string(v.Result) != shown || string(v.Inputs) != shown ||
			v.Manifest.Result != hex.EncodeToString(sum[:]) {
			t.Errorf("%s: %s", where, text)
		}
		session, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
			&sdk.StreamableClientTransport{Endpoint: in.URL + "/mcp", HTTPClient: &http.Client{Transport: bearing(profile)}}, nil)
		e2e.Must(t, err)
		defer session.Close()
		got := called(t, session, &sdk.CallToolParams{Name: "read_execution", Arguments: map[string]any{"execution_id": x.ID}})
		if string(got.Result) != shown {
			t.Errorf("%s, MCP: %s", where, got.Result)
		}
		person := in.Person()
		page := person.Get(in, e2e.ExecutionLink.FindString(person.Get(in, "/ui/executions")))
		page = strings.Join(strings.Fields(html.UnescapeString(page)), "")
		if n := strings.Count(page, shown); n < 2 {
			t.Errorf("%s, the page has %d of inputs and result", where, n)
		}
	}
	check("here", in)
	file, fresh := filepath.Join(t.TempDir(), "instance.airlock"), e2e.StartInstance(t, "AIRLOCK_POOL=0")
	in.Admin("words of a test of order\n", "export", file)
	fresh.Admin("words of a test of order\n", "import", file)
	check("after an import", fresh)
}
