package api

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/apidocs"
	"github.com/computclaw/airlock/app/skills/bundle"
)

func TestDocumentedFieldsAreTheTypes(t *testing.T) {
	t.Parallel()
	types := map[string]reflect.Type{
		"Profile": reflect.TypeFor[profileView](), "Key": reflect.TypeFor[keyView](),
		"Host":     reflect.TypeFor[hostView](),
		"Accepted": reflect.TypeFor[acceptedView](), "Execution": reflect.TypeFor[executionView](),
		"LLMRequest": reflect.TypeFor[llmView](),
		"Timings":    reflect.TypeFor[timingsView](), "Connection": reflect.TypeFor[connectionView](),
		"Executions": reflect.TypeFor[executionsView](),
		"Health":     reflect.TypeFor[healthView](), "Sandbox": reflect.TypeFor[sandboxView](),
		"Error": reflect.TypeFor[app.ErrorBody](), "ErrorDetail": reflect.TypeFor[app.Error](),
		"Packages": reflect.TypeFor[packagesView](), "Runtime": reflect.TypeFor[runtimeView](),
		"Package": reflect.TypeFor[packageView](), "Repeat": reflect.TypeFor[rerunView](),
		"Skill": reflect.TypeFor[skillView](), "Skills": reflect.TypeFor[skillsView](),
		"Facts": reflect.TypeFor[bundle.Facts](), "Finding": reflect.TypeFor[bundle.Finding](),
		"NewSkill":     reflect.TypeFor[newSkillInput](),
		"NewExecution": reflect.TypeFor[executeInput](), "NewKey": reflect.TypeFor[keyInput](),
	}
	for _, s := range apidocs.Schemas() {
		typ, ok := types[s.Name]
		if !ok {
			continue // written inside its handler
		}
		delete(types, s.Name)
		var documented, real []string
		for _, f := range s.Fields {
			documented = append(documented, f.Name)
		}
		for f := range fieldNames(typ) {
			real = append(real, f)
		}
		slices.Sort(documented)
		slices.Sort(real)
		if diff := cmp.Diff(real, documented); diff != "" {
			t.Errorf("%s: type (-) and documentation (+) differ:\n%s", s.Name, diff)
		}
	}
	for name := range types {
		t.Errorf("%s is not documented", name)
	}
}

func fieldNames(typ reflect.Type) map[string]bool {
	names := map[string]bool{}
	for i := range typ.NumField() {
		tag := typ.Field(i).Tag
		name, _, _ := strings.Cut(tag.Get("json")+tag.Get("in"), ",")
		if name != "-" {
			names[name] = true
		}
	}
	return names
}
