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

	// maxToolName is the longest tool name that models' APIs accept.
	maxToolName = 64

	// maxSkillTools bounds the tools for skills. Models choose badly among more; execute runs any.
	maxSkillTools = 64

	maxToolDescription = 1024 // bytes of a skill's description
)

// listSkills is the path of the list that makes the tools.
const listSkills = "/skills?include=schema"

// skill is a skill that the profile may run, as the API shows it.
type skill struct {
	Name        string          `json:"name"`
	Version     int             `json:"version"`
	Description string          `json:"description"`
	Runs        bool            `json:"runs"`
	Schema      json.RawMessage `json:"input_schema"`
}

// toolName returns the tool's name: skill_ and the skill's name. A digest shortens long ones.
func (s skill) toolName() string {
	name := skillTool + s.Name
	if len(name) <= maxToolName {
		return name
	}
	sum := sha256.Sum256([]byte(s.Name))
	const digits = 8
	return name[:maxToolName-digits-1] + "_" + hex.EncodeToString(sum[:])[:digits]
}

// skillTools lets each connection list and call its profile's skills. A call becomes one of
// execute, with its rules.
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

// skills returns the skills that a connection's profile may run. It is empty on failure.
func (s server) skills(ctx context.Context, of *sdk.RequestExtra) (list []skill) {
	profile := s.ownProfile(of)
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

// tool offers the skill: execute's arguments without the script, and the skill's inputs.
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
		apidocs.DescribeWait(execute.ID) + " Its author says: " + app.Clip(s.Description, maxToolDescription),
		InputSchema: schema, Annotations: annotations(execute)}
}

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

// executeSkill turns a call of a skill's tool into one of execute. The API refuses forbidden skills
// and wrong arguments.
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

// withSkill adds the skill's name to arguments, unless they are no object.
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

// WatchSkills calls announce when a profile's skills change, until ctx ends.
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
