package web

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"

	"github.com/computclaw/airlock/app/apidocs"
	"github.com/computclaw/airlock/app/web/api"
)

// readContract reads the API's OpenAPI description with an independent library.
var readContract = sync.OnceValues(func() (routers.Router, error) {
	text, err := api.OpenAPI("test", "")
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(context.Background()); err != nil { // with all its examples
		return nil, err
	}
	return legacy.NewRouter(doc)
})

// keepsContract checks an agent API answer, and an accepted request, against the description.
func keepsContract(t *testing.T, r *http.Request, sent string, a answer) {
	t.Helper()
	router, err := readContract()
	if err != nil {
		t.Fatalf("the OpenAPI document: %v", err)
	}
	r = r.Clone(context.Background())
	r.Body = io.NopCloser(strings.NewReader(sent))
	zipped := r.Header.Get("Content-Type") == "application/zip"
	if sent != "" && !zipped {
		r.Header.Set("Content-Type", "application/json") // JSON is also read under the form type of curl
	}
	route, parameters, err := router.FindRoute(r)
	if err != nil {
		return // not a call of the agent API
	}
	options := &openapi3filter.Options{AuthenticationFunc: openapi3filter.NoopAuthenticationFunc,
		IncludeResponseStatus: true, ExcludeRequestBody: zipped}
	input := &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: route, Options: options}
	if a.status < 300 && r.Method != http.MethodHead {
		if err := openapi3filter.ValidateRequest(t.Context(), input); err != nil {
			t.Errorf("%s %s was accepted, and is not as described: %v", r.Method, route.Path, err)
		}
	}
	if r.Method == http.MethodHead || a.status == http.StatusNotModified {
		return
	}
	// text has no shape
	options.ExcludeResponseBody = !strings.HasPrefix(a.header.Get("Content-Type"), "application/json")
	output := &openapi3filter.ResponseValidationInput{RequestValidationInput: input, Status: a.status, Header: a.header,
		Body: io.NopCloser(bytes.NewReader([]byte(a.text))), Options: options}
	if err := openapi3filter.ValidateResponse(t.Context(), output); err != nil {
		t.Errorf("%s %s answered %d, not as described: %v\n%.300s", r.Method, route.Path, a.status, err, a.text)
	}
}

// TestContractIsRead: the description is valid, knows every call, and rejects deviations.
func TestContractIsRead(t *testing.T) {
	t.Parallel()
	router, err := readContract()
	if err != nil {
		t.Fatal(err)
	}
	for _, op := range apidocs.Operations() {
		r, _ := http.NewRequestWithContext(t.Context(), op.Method,
			"http://a.example"+strings.NewReplacer("{id}", "x", "{name}", "X").Replace(op.Path), nil)
		if _, _, err := router.FindRoute(r); err != nil {
			t.Errorf("%s %s: %v", op.Method, op.Path, err)
		}
	}
	for name, body := range map[string]string{
		"a missing field":   `{"execution_id":"exec_1","status":"running"}`,
		"an unknown status": `{"execution_id":"exec_1","status":"walking","created_at":"2026-11-20T09:00:00Z"}`,
		"a wrong type":      `{"execution_id":1,"status":"running","created_at":"2026-11-20T09:00:00Z"}`,
	} {
		r, _ := http.NewRequestWithContext(t.Context(), "GET", "http://a.example/executions/exec_1", nil)
		route, parameters, err := router.FindRoute(r)
		if err != nil {
			t.Fatal(err)
		}
		input := &openapi3filter.RequestValidationInput{Request: r, PathParams: parameters, Route: route}
		output := &openapi3filter.ResponseValidationInput{RequestValidationInput: input, Status: 200,
			Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body))}
		if openapi3filter.ValidateResponse(t.Context(), output) == nil {
			t.Errorf("%s passes: %s", name, body)
		}
	}
}
