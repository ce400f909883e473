package deploy_test

import (
	"encoding/json"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	compose "github.com/compose-spec/compose-go/v2/schema"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
)

var platformSchemas = flag.String("platform-schemas", "",
	"directory with the schemas that Render and Railway publish; see the Makefile's platforms")

// published is a deploy file and its platform's schema.
type published struct {
	file   string
	schema *jsonschema.Schema
}

// publishedSchemas returns compose's, from a Go module, and fetched ones of Render and Railway. The
// latter can't be copied by licence. Fly.io publishes none.
func publishedSchemas(t *testing.T) []published {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	text, err := jsonschema.UnmarshalJSON(strings.NewReader(compose.Schema))
	e2e.Must(t, err)
	e2e.Must(t, compiler.AddResource("compose-spec.json", text))
	paths := map[string]string{"deploy/docker-compose.yml": "compose-spec.json"}
	if *platformSchemas != "" {
		for _, name := range []string{"render.yaml", "railway.toml"} {
			paths[name] = filepath.Join(*platformSchemas, name+".json")
		}
	}
	var all []published
	for file, path := range paths {
		schema, err := compiler.Compile(path)
		e2e.Must(t, err)
		all = append(all, published{file, schema})
	}
	return all
}

// plain returns a value as JSON has it.
func plain(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	e2e.Must(t, err)
	same, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	e2e.Must(t, err)
	return same
}

func TestDeployFilesFitPublishedSchemas(t *testing.T) {
	for _, p := range publishedSchemas(t) {
		t.Run(p.file, func(t *testing.T) {
			content := deployFileNamed(t, p.file).Parse(t)
			if err := p.schema.Validate(plain(t, content)); err != nil {
				t.Error(err)
			}
			for section := range content {
				broken := deployFileNamed(t, p.file).Parse(t)
				broken[section] = 7
				if p.schema.Validate(plain(t, broken)) == nil {
					t.Errorf("a number as %s would not be noticed", section)
				}
			}
		})
	}
}
