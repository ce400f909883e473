package bundle

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// FromScript makes a skill of one Python script. A wrong name or description is returned as
// Problems.
func FromScript(name, description, script string) (Bundle, error) {
	quoted := func(text string) string {
		var b bytes.Buffer
		encoder := json.NewEncoder(&b) // YAML reads JSON's strings
		encoder.SetEscapeHTML(false)
		_ = encoder.Encode(text) // a string can always be encoded
		return strings.TrimSpace(b.String())
	}
	t := newTree()
	for path, content := range map[string]string{
		SkillFile: fmt.Sprintf("---\nname: %s\ndescription: %s\n---\nRuns main.py with the inputs of the run.\n",
			quoted(name), quoted(description)),
		"main.py": script,
	} {
		if err := t.add(path, false, strings.NewReader(content), int64(len(content))); err != nil {
			return Bundle{}, err
		}
	}
	return t.bundle()
}
