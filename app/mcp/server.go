package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/apidocs"
	"github.com/computclaw/airlock/app/client"
)

const instructions = "Airlock runs Python in a sandbox with credentials that a person granted; you never see their " +
	"values. The flow:\n" +
	"1. create_profile, add_keys and propose_hosts say what you need and why. Skip this if the " +
	"connection has a profile.\n" +
	"2. Give the person the setup_url and the pairing_code; they fill in the values and press Lock. " +
	"read_profile waits for that.\n" +
	"3. execute runs a script, waits, and returns its result. In the script: settings.get(\"NAME\"), " +
	"inputs, set_result(data), llm.complete(prompt).\n" +
	"Same code and same data give the same numbers: compute in Python, use llm.complete for wording " +
	"only. The skill tool tells the rest."

// Way returns the client by which a request acts, and bounds its time.
type Way func(ctx context.Context, of *sdk.RequestExtra) (context.Context, client.Client)

// Through returns a Way that always uses one client.
func Through(api client.Client) Way {
	return func(ctx context.Context, _ *sdk.RequestExtra) (context.Context, client.Client) { return ctx, api }
}

// server is the shared state of tools and resources.
type server struct {
	way     Way
	profile app.Secret // of a connection that is not HTTP
}

// Server returns an MCP server whose tools and resources act by way. profile is that of a
// connection that is not HTTP; it may be empty. announce tells all clients that the tools may have
// changed.
func Server(way Way, profile app.Secret, version string) (s *sdk.Server, announce func()) {
	common := server{way, profile}
	s = sdk.NewServer(&sdk.Implementation{Name: "airlock", Title: "Airlock", Version: version}, &sdk.ServerOptions{
		Instructions: instructions,
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) {
			c.CacheScope = "private" // tools and artifacts are those of one profile
		},
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: true},
			Resources: &sdk.ResourceCapabilities{}},
	})
	for _, tool := range apidocs.Tools() {
		common.addTool(s, tool)
		if tool.ID == "execute" {
			s.AddReceivingMiddleware(common.skillTools(tool))
			announce = func() { common.addTool(s, tool) } // the library tells that there was a change
		}
	}
	s.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: artifactURIs, Name: "artifact", Title: "Artifact",
		Description: "A file that a script left, up to 4 MiB. The answer of execute links to it."}, common.readArtifact)
	return s, announce
}

func (s server) addTool(to *sdk.Server, tool apidocs.Tool) {
	to.AddTool(&sdk.Tool{Name: tool.Name, Description: tool.Description, InputSchema: tool.Input,
		Annotations: annotations(tool)},
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			ctx, api := s.way(ctx, req.Extra)
			result, err := call{api: api, own: s.ownProfile(req.Extra), tool: tool, req: req}.run(ctx)
			if err != nil {
				return errorResult(err), nil
			}
			return result, nil
		})
}

// annotations are hints for clients that ask the person first.
func annotations(tool apidocs.Tool) *sdk.ToolAnnotations {
	reads := tool.Method == "GET"
	runs := tool.ID == "execute" || tool.ID == "rerun"
	return &sdk.ToolAnnotations{ReadOnlyHint: reads, DestructiveHint: &runs, OpenWorldHint: &runs, IdempotentHint: reads}
}

// call is one call of a tool.
type call struct {
	api  client.Client
	own  app.Secret // the profile of the connection
	tool apidocs.Tool
	req  *sdk.CallToolRequest
}

func (c call) run(ctx context.Context) (*sdk.CallToolResult, error) {
	r, err := toRequest(c.tool, c.req.Params.Arguments, c.own)
	if err != nil {
		return nil, err
	}
	if c.req.Params.RequestState != "" {
		return c.resume(ctx, r.Profile)
	}
	switch c.tool.ID {
	case "execute", "rerun":
		return c.start(ctx, r)
	case "readExecution":
		return c.follow(ctx, run{path: r.Path, profile: r.Profile})
	case "respond":
		if got, err := c.api.Do(ctx, r); err != nil || !got.OK() {
			return nil, orRefusal(got, err)
		}
		return c.follow(ctx, run{path: executionPath(r.Path), profile: r.Profile})
	case "readProfile":
		return c.awaitPerson(ctx, r)
	}
	got, err := c.api.Do(ctx, r)
	if err != nil || !got.OK() {
		return nil, orRefusal(got, err)
	}
	return c.success(got), nil
}

// ownProfile returns the connection's profile. Over HTTP each request must name it: a session id
// proves nothing.
func (s server) ownProfile(of *sdk.RequestExtra) app.Secret {
	if of == nil || of.Header == nil {
		return s.profile
	}
	_, token, _ := strings.Cut(of.Header.Get("Authorization"), " ")
	return app.NewSecret(strings.TrimSpace(token))
}

// success passes an answer on. The guide is text, all else JSON.
func (c call) success(got client.Answer) *sdk.CallToolResult {
	result := &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(got.Text)}}}
	if c.tool.Returns != "" {
		result.StructuredContent = json.RawMessage(got.Text)
	}
	if advice := readPending(got).advice(); c.tool.Returns == "Profile" && advice != "" {
		result.Content = append(result.Content, &sdk.TextContent{Text: advice})
	}
	return result
}

func errorResult(err error) *sdk.CallToolResult {
	var known *app.Error
	if !errors.As(err, &known) {
		known = app.E(app.CodeInternal, err.Error(),
			"Try again in a few seconds. What was accepted goes on: list_executions shows it.")
	}
	said := *known
	said.Hint = inTools(said.Hint)
	text, err := json.Marshal(app.ErrorBody{Error: &said})
	if err != nil {
		text = []byte(`{"error":{"code":"internal"}}`)
	}
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: string(text)}},
		StructuredContent: json.RawMessage(text)}
}
