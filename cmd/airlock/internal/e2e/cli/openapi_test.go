package cli_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/computclaw/airlock/app/apidocs"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

// TestGeneratedClient generates a client from a running instance's document. It must compile and
// complete an agent's flow. An independent OpenAPI 3.1 validator reads the document.
func TestGeneratedClient(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e2e.Must(t, os.CopyFS(dir, os.DirFS("testdata/api-client")))
	in := e2e.StartInstance(t, "AIRLOCK_POOL=1")
	_, document, _ := in.Do(http.MethodGet, "/openapi.json", "", "", nil)
	e2e.Must(t, os.WriteFile(filepath.Join(dir, "openapi.json"), document, 0o600))
	for _, command := range []string{
		"npm ci --ignore-scripts --no-audit --no-fund --loglevel=error",
		"node_modules/.bin/validate-api openapi.json",
		"node_modules/.bin/openapi-typescript openapi.json -o schema.d.ts",
		"node_modules/.bin/tsc",
	} {
		c := exec.Command("sh", "-c", command)
		c.Dir = dir
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	flow := exec.CommandContext(t.Context(), "node", "flow.js", in.URL)
	flow.Dir = dir
	var stderr bytes.Buffer
	flow.Stderr = &stderr
	out, err := flow.StdoutPipe()
	e2e.Must(t, err)
	e2e.Must(t, flow.Start())
	lines := bufio.NewScanner(out)
	var created struct{ Profile, Setup string }
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &created) != nil {
		_ = flow.Wait()
		t.Fatalf("%s\n%s", lines.Text(), stderr.String())
	}
	in.Admin("a-value-of-the-tests", "credential", "set", "API_TOKEN", "--mode", "injected")
	in.Admin("", "profile", "lock", created.Profile)
	lines.Scan()
	last := lines.Text()
	if err := flow.Wait(); err != nil || last != `{"status":"completed","result":["well",21],"values":[true],"listed":1}` {
		t.Errorf("%v: %s\n%s", err, last, stderr.String())
	}
}

type replay struct {
	*e2e.Instance
	router  routers.Router
	ids     *strings.Replacer // of what the examples leave out
	profile string
	done    map[string]bool // by operation
}

// TestEveryExampleWorks sends each example request of the document, with the ids filled in. Answers
// match the description and have the example's fields.
func TestEveryExampleWorks(t *testing.T) {
	t.Parallel()
	in := e2e.StartInstance(t, "AIRLOCK_POOL=1")
	_, document, _ := in.Do(http.MethodGet, "/openapi.json", "", "", nil)
	doc, err := openapi3.NewLoader().LoadFromData(document)
	e2e.Must(t, err)
	e2e.Must(t, doc.Validate(t.Context()))
	router, err := legacy.NewRouter(doc)
	e2e.Must(t, err)
	r := &replay{Instance: in, router: router, ids: strings.NewReplacer(), done: map[string]bool{}}

	r.profile = r.send("createProfile", "", "")["profile_id"].(string)
	r.send("addKeys", r.profile, "")
	r.send("removeKey", r.profile, "SIMPHONY_API_KEY")
	r.send("addKeys", r.profile, "")
	r.send("proposeHosts", r.profile, "")
	r.send("withdrawHost", r.profile, "api.example.com")
	r.send("proposeHosts", r.profile, "")
	in.Admin("a-value-of-the-tests", "credential", "set", "SIMPHONY_API_KEY", "--mode", "sealed", "--host",
		"api.example.com")
	in.Admin("db.example.com", "credential", "set", "DB_HOST", "--mode", "plain")
	in.Admin("", "profile", "lock", r.profile, "--host", "api.example.com")
	r.send("readProfile", r.profile, "")

	accepted := r.send("execute", "", "")
	ended := in.Await(e2e.Execution{ID: accepted["execution_id"].(string)}, time.Minute)
	if string(ended.Result) != `{"total":42}` {
		t.Errorf("the example of execute: %s %s %s", ended.Status, ended.Result, ended.Error)
	}
	left := in.Await(in.Submit(r.profile, "save_file('report.xlsx', b'rows'); set_result({'total': 42})", time.Minute),
		time.Minute)
	r.send("readExecution", left.ID, "")
	r.send("readArtifact", left.ID, "report.xlsx")
	r.send("readArtifacts", left.ID, "")
	file := r.send("uploadFile", "", "")["file_id"].(string)
	r.send("listFiles", "", "")
	r.send("deleteFile", file, "")
	r.ids = strings.NewReplacer("exec_…", ended.ID)
	r.send("uploadSkill", "", "")
	r.send("listSkills", "", "")
	r.send("readSkill", "", "sum-month")
	r.send("downloadSkill", "", "sum-month")
	r.send("rerun", ended.ID, "")
	asks := in.Submit(r.profile, "llm.complete('q')", time.Minute)
	var waiting struct {
		Request struct {
			ID string `json:"request_id"`
		} `json:"llm_request"`
	}
	e2e.Eventually(t, time.Minute, "the script asks", func() bool {
		in.Call(http.MethodGet, "/executions/"+asks.ID+"?wait=5", nil, &waiting)
		return waiting.Request.ID != ""
	})
	r.ids = strings.NewReplacer(`"request_id":"…"`, `"request_id":"`+waiting.Request.ID+`"`)
	r.send("respond", asks.ID, "")
	r.send("cancel", in.Submit(r.profile, "import time; time.sleep(60)", time.Minute).ID, "")
	for _, id := range []string{"listExecutions", "health", "packages", "skill", "openapi", "stubs"} {
		r.send(id, "", "")
	}
	for _, op := range apidocs.Operations() {
		if !r.done[op.ID] {
			t.Errorf("%s was not replayed", op.ID)
		}
	}
}

// send makes an example's call. id and name fill its path.
func (r *replay) send(operation, id, name string) map[string]any {
	r.T.Helper()
	op := operationNamed(r.T, operation)
	body := r.ids.Replace(strings.ReplaceAll(compact(r.T, op.Request), "ark_…", r.profile))
	address, kind := r.URL+strings.NewReplacer("{id}", id, "{name}", name, "{host}", name).Replace(op.Path),
		"application/json"
	if op.Raw {
		address, body, kind = address+"?name=orders.csv", "day,amount\n1,42\n", "application/octet-stream"
	}
	request, err := http.NewRequestWithContext(r.T.Context(), op.Method, address, strings.NewReader(body))
	e2e.Must(r.T, err)
	if body != "" {
		request.Header.Set("Content-Type", kind)
	}
	if op.Auth == apidocs.AuthBearer || operation == "readArtifact" { // which a signed url can read, too
		request.Header.Set("Authorization", "Bearer "+r.profile)
	}
	route, parameters, err := r.router.FindRoute(request)
	e2e.Must(r.T, err)
	options := &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		IncludeResponseStatus: true, ExcludeResponseBody: op.Media != ""}
	input := &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route,
		Options: options}
	e2e.Must(r.T, openapi3filter.ValidateRequest(r.T.Context(), input))
	response, err := http.DefaultClient.Do(request)
	e2e.Must(r.T, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	e2e.Must(r.T, err)
	if response.StatusCode != op.Status {
		r.T.Fatalf("%s: %d, want %d\n%s", operation, response.StatusCode, op.Status, text)
	}
	if kind := response.Header.Get("Content-Type"); op.Media != "" && op.Media != "*/*" && !strings.HasPrefix(kind, op.Media) {
		r.T.Errorf("%s is %s, want %s", operation, kind, op.Media)
	}
	e2e.Must(r.T, openapi3filter.ValidateResponse(r.T.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input, Status: response.StatusCode, Header: response.Header,
		Body: io.NopCloser(bytes.NewReader(text)), Options: options,
	}))
	r.done[operation] = true
	var got map[string]any
	if op.Returns != "" {
		e2e.Must(r.T, json.Unmarshal(text, &got))
		if missing := lacks(operation, example(r.T, op.Response), got); len(missing) > 0 {
			r.T.Errorf("the example of an answer shows what the answer has not: %v\n%s", missing, text)
		}
	}
	return got
}

// lacks lists fields of an example that an answer lacks or has in another type. One element of a
// list has to match.
func lacks(where string, example, got any) (list []string) {
	switch e := example.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(e)) {
			if value, there := g[name]; there {
				list = append(list, lacks(where+"."+name, e[name], value)...)
			} else {
				list = append(list, where+"."+name)
			}
		}
	case []any:
		g, _ := got.([]any)
		if len(e) == 0 {
			return nil
		}
		list = []string{where + "[0]"}
		for _, one := range g {
			if list = lacks(where+"[0]", e[0], one); len(list) == 0 {
				return nil
			}
		}
	default:
		if example != nil && got != nil && reflect.TypeOf(example) != reflect.TypeOf(got) {
			return []string{where}
		}
	}
	return list
}

// example reads an example answer, which may end in "and more".
func example(t *testing.T, text string) any {
	t.Helper()
	if text == "" {
		return nil
	}
	var value any
	e2e.Must(t, json.Unmarshal([]byte(strings.ReplaceAll(text, ", …}", "}")), &value))
	return value
}

func compact(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if text != "" {
		e2e.Must(t, json.Compact(&b, []byte(text)))
	}
	return b.String()
}

func operationNamed(t *testing.T, id string) apidocs.Operation {
	t.Helper()
	for _, op := range apidocs.Operations() {
		if op.ID == id {
			return op
		}
	}
	t.Fatalf("there is no operation %s", id)
	return apidocs.Operation{}
}
