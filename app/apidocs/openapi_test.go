package apidocs

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

func TestExamplesAreValidJSON(t *testing.T) {
	for _, op := range Operations() {
		if op.Request != "" && !json.Valid([]byte(op.Request)) {
			t.Errorf("%s: the request example is not JSON: %s", op.ID, op.Request)
		}
		if op.Response != "" && !json.Valid([]byte(strings.ReplaceAll(op.Response, ", …}", "}"))) {
			t.Errorf("%s: the response example is not JSON: %s", op.ID, op.Response)
		}
	}
}

// TestToolsSpeakOfNoHTTP: a tool's text describes its effect without HTTP.
func TestToolsSpeakOfNoHTTP(t *testing.T) {
	t.Parallel()
	http := regexp.MustCompile(`\?[a-z]+=|[Hh]eader|[Bb]earer|\b(GET|POST|DELETE|PUT) |/executions|application/`)
	says := map[string]string{
		"create_profile": "Tell the person `setup_url`", "add_keys": "Say in `description` what each is for",
		"propose_hosts": "Nothing is reachable until a person allows it", "execute": "Waits for the end",
		"rerun": "with `live` is asked as usual", "read_execution": "`include` adds what was submitted",
		"read_profile": "`mode` and `hosts` then say", "list_executions": "newest first",
		"upload_file": "Pass the file_id to execute", "upload_skill": "A person approves each version",
		"respond": "`llm.Error`", "skill": "errors, limits",
	}
	for _, tool := range Tools() {
		if at := http.FindString(tool.Description); at != "" {
			t.Errorf("%s speaks of %q: %s", tool.Name, at, tool.Description)
		}
		if !strings.Contains(tool.Description, says[tool.Name]) {
			t.Errorf("%s doesn't say %q: %s", tool.Name, says[tool.Name], tool.Description)
		}
		delete(says, tool.Name)
	}
	for name := range says {
		t.Errorf("there is no tool %s", name)
	}
}
