package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/apidocs"
	"github.com/computclaw/airlock/app/client"
	"github.com/computclaw/airlock/app/sleep"
)

const (
	skillTool = "skill_" // begins the names of tools that are skills

	// maxToolName is how long a tool's name may be for the APIs of models.
	maxToolName = 64

	// maxSkillTools bounds the tools that are skills. Models choose badly among more; execute runs any.
	maxSkillTools = 64

	maxToolDescription = 1024 // bytes of a skill's description
)

// listSkills asks for the path whose answer the tools are made from.
const listSkills = "/skills?include=schema"

// skill is one that the profile may run, as the API shows it.
type skill struct {
	Name        string          `json:"name"`
	Version     int             `json:"version"`
	Description string          `json:"description"`
	Runs        bool            `json:"runs"`
	Schema      json.RawMessage `json:"input_schema"`
}

// toolName is the name of a skill's tool: the skill's own after skill_, cut and told apart by a digest
// where it would be too long.
func (s skill) toolName() string {
	name := skillTool + s.Name
	if len(name) <= maxToolName {
		return name
	}
	sum := sha256.Sum256([]byte(s.Name))
	const digits = 8
	return name[:maxToolName-digits-1] + "_" + hex.EncodeToString(sum[:])[:digits]
}

// skillTools lets each connection list and call the skills that its profile may run. A call is one of
// execute with the skill's name, so all that execute does holds for it.
func (s server) skillTools(execute apidocs.Tool) sdk.Middleware {
	return func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			switch r := req.(type) {
			case *sdk.ListToolsRequest:
				result, err := next(ctx, method, req)
				if list, ok := result.(*sdk.ListToolsResult); ok && err == nil && list.NextCursor == "" {
					for _, one := range s.skills(ctx, r.Extra) {
						list.Tools = append(list.Tools, one.tool(execute))
					}
				}
				return result, err
			case *sdk.CallToolRequest:
				if name, ok := strings.CutPrefix(r.Params.Name, skillTool); ok {
					req = s.executeSkill(ctx, r, name, execute)
				}
			}
			return next(ctx, method, req)
		}
	}
}

// skills are those that the profile of a connection may run; none where that can't be told now.
func (s server) skills(ctx context.Context, of *sdk.RequestExtra) (list []skill) {
	profile := s.own(of)
	if profile.Empty() {
		return nil
	}
	ctx, api := s.way(ctx, of)
	got, err := api.Do(ctx, client.Request{Method: "GET", Path: listSkills, Profile: profile})
	var all struct {
		Skills []skill `json:"skills"`
	}
	if err != nil || !got.OK() || json.Unmarshal(got.Text, &all) != nil {
		return nil
	}
	for _, one := range all.Skills {
		if one.Runs && len(list) < maxSkillTools {
			list = append(list, one)
		}
	}
	return list
}

// tool offers the skill: execute's arguments but for the script, with the skill's schema for inputs.
func (s skill) tool(execute apidocs.Tool) *sdk.Tool {
	known, _ := execute.Input["properties"].(map[string]any)
	properties := maps.Clone(known)
	delete(properties, "script")
	delete(properties, "skill")
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	var inputs map[string]any
	if len(s.Schema) > 0 && json.Unmarshal(s.Schema, &inputs) == nil {
		delete(inputs, "$schema")
		moveReferences(inputs, "#/properties/inputs")
		properties["inputs"] = inputs
		schema["required"] = []string{"inputs"}
	}
	return &sdk.Tool{Name: s.toolName(), Description: "Run the skill " + s.Name + ", which a person approved. " +
		apidocs.Waiting(execute.ID) + " Its author says: " + app.Clip(s.Description, maxToolDescription),
		InputSchema: schema, Annotations: annotations(execute)}
}

// moveReferences has the references within a schema begin where it stands now.
func moveReferences(part any, to string) {
	switch part := part.(type) {
	case map[string]any:
		for name, value := range part {
			text, isText := value.(string)
			if isText && (name == "$ref" || name == "$dynamicRef") && (text == "#" || strings.HasPrefix(text, "#/")) {
				part[name] = to + text[1:]
			}
			moveReferences(value, to)
		}
	case []any:
		for _, value := range part {
			moveReferences(value, to)
		}
	}
}

// executeSkill is the call of execute that a call of a skill's tool stands for. A skill that the
// profile may not run, the API refuses. So it does arguments that are wrong.
func (s server) executeSkill(ctx context.Context, r *sdk.CallToolRequest, name string,
	execute apidocs.Tool) *sdk.CallToolRequest {
	if len(r.Params.Name) == maxToolName {
		for _, one := range s.skills(ctx, r.Extra) {
			if one.toolName() == r.Params.Name {
				name = one.Name
			}
		}
	}
	params := *r.Params
	params.Name = execute.Name
	params.Arguments = withSkill(params.Arguments, name)
	call := *r
	call.Params = &params
	return &call
}

// withSkill adds the skill's name to arguments. What is no object stays as it is.
func withSkill(arguments json.RawMessage, name string) json.RawMessage {
	all := map[string]json.RawMessage{}
	if len(arguments) > 0 && json.Unmarshal(arguments, &all) != nil {
		return arguments
	}
	if all == nil { // null
		all = map[string]json.RawMessage{}
	}
	quoted, err := json.Marshal(name)
	if err != nil {
		return arguments
	}
	all["skill"] = quoted
	text, err := json.Marshal(all)
	if err != nil {
		return arguments
	}
	return text
}

// lookEvery is how often WatchSkills looks.
const lookEvery = 30 * time.Second

// WatchSkills calls announce whenever the skills that a profile may run have changed, until ctx ends.
func WatchSkills(ctx context.Context, api client.Client, profile app.Secret, announce func()) {
	var before []byte
	for sleep.For(ctx, lookEvery) == nil {
		got, err := api.Do(ctx, client.Request{Method: "GET", Path: listSkills, Profile: profile})
		if err != nil || !got.OK() {
			continue
		}
		if before != nil && !bytes.Equal(before, got.Text) {
			announce()
		}
		before = got.Text
	}
}
