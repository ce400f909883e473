package bundle

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/computclaw/airlock/app"
)

// maxFrontmatter is how many bytes of YAML may stand before the instructions.
const maxFrontmatter = 32 << 10

// field is a key of the frontmatter. Only texts, numbers and mappings of those are read.
type field struct {
	name   string
	line   int
	text   string  // of a text, a number or a truth value, as it is written
	fields []field // of a mapping
	isMap  bool
}

// splitFrontmatter takes the YAML between the two lines --- off the beginning of a text.
func splitFrontmatter(text []byte) (front []byte, body string, problem *Problem) {
	const hint = "Begin SKILL.md with a line ---, then name: and description:, then a line ---."
	if len(text) > MaxSkillFile {
		return nil, "", &Problem{File: SkillFile, Message: fmt.Sprintf("The file has %s, more than %s.",
			app.FormatSize(int64(len(text))), app.FormatSize(MaxSkillFile)), Hint: "Move details to files of their own."}
	}
	if !utf8.Valid(text) {
		return nil, "", &Problem{File: SkillFile, Message: "The file is not valid UTF-8.", Hint: "Save it as UTF-8."}
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	rest, begins := bytes.CutPrefix(text, []byte("---\n"))
	if !begins {
		return nil, "", &Problem{File: SkillFile, Line: 1, Message: "The file has no frontmatter.", Hint: hint}
	}
	for at := 0; at < len(rest); {
		line, _, _ := bytes.Cut(rest[at:], []byte("\n"))
		if string(bytes.TrimRight(line, " \t")) == "---" {
			after := min(at+len(line)+1, len(rest))
			return rest[:at], strings.TrimLeft(string(rest[after:]), "\n"), nil
		}
		if at += len(line) + 1; at > maxFrontmatter {
			return nil, "", &Problem{File: SkillFile, Line: 1, Hint: hint,
				Message: fmt.Sprintf("The frontmatter does not end within %s.", app.FormatSize(maxFrontmatter))}
		}
	}
	return nil, "", &Problem{File: SkillFile, Line: 1, Message: "The frontmatter does not end.", Hint: hint}
}

// readFrontmatter reads the YAML of a frontmatter. It refuses anchors, aliases, tags, merge keys
// and second documents, so that people read what it means. Only the keys in lists may be lists;
// their items are joined by blanks.
func readFrontmatter(front []byte, lists ...string) ([]field, Problems) {
	const firstLine = 2 // of the frontmatter in its file
	decoder := yaml.NewDecoder(bytes.NewReader(front))
	var document yaml.Node
	if err := decoder.Decode(&document); err != nil {
		line, what := yamlProblem(err)
		return nil, Problems{{File: SkillFile, Line: line + firstLine, Hint: "See https://agentskills.io/specification.",
			Message: "The frontmatter is not valid YAML: " + app.Clip(what, 200) + "."}}
	}
	if decoder.Decode(new(yaml.Node)) == nil {
		return nil, Problems{{File: SkillFile, Line: firstLine, Message: "The frontmatter has a second YAML document."}}
	}
	r := frontmatterReader{lists: lists}
	root := document.Content[0]
	if root.Kind != yaml.MappingNode {
		r.add(root, "The frontmatter is not a list of keys with values.")
	} else {
		return r.readMapping(root, 0), r.problems
	}
	return nil, r.problems
}

// yamlProblem splits an error of the YAML library into the line after the first one, and the
// message.
func yamlProblem(err error) (line int, what string) {
	what = strings.TrimPrefix(err.Error(), "yaml: ")
	if n, _ := fmt.Sscanf(what, "line %d:", &line); n == 0 {
		return 0, what
	}
	_, what, _ = strings.Cut(what, ": ")
	return line - 1, what
}

type frontmatterReader struct {
	lists    []string
	problems Problems
}

func (r *frontmatterReader) add(n *yaml.Node, message string) {
	r.problems = append(r.problems, Problem{File: SkillFile, Line: n.Line + 1, Message: message,
		Hint: "Use plain keys and texts only."})
}

func (r *frontmatterReader) readMapping(n *yaml.Node, depth int) (fields []field) {
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := app.VisibleText(app.Clip(key.Value, 100))
		switch {
		case !r.plain(key) || !r.plain(value):
			continue
		case key.Kind != yaml.ScalarNode || key.Value == "<<":
			r.add(key, "A key of the frontmatter is not a plain text.")
			continue
		case seen[key.Value]:
			r.add(key, fmt.Sprintf("The key %s is there twice.", name))
			continue
		}
		seen[key.Value] = true
		f := field{name: key.Value, line: key.Line + 1}
		switch {
		case value.Kind == yaml.ScalarNode && value.Tag == "!!null":
		case value.Kind == yaml.ScalarNode:
			f.text = value.Value
		case value.Kind == yaml.MappingNode && depth == 0:
			f.isMap, f.fields = true, r.readMapping(value, depth+1)
		case value.Kind == yaml.SequenceNode && slices.Contains(r.lists, key.Value):
			f.text = r.joinItems(value)
		default:
			r.add(value, fmt.Sprintf("The value of %s is not a text.", name))
			continue
		}
		fields = append(fields, f)
	}
	return fields
}

// plain refuses what makes YAML say more than it shows.
func (r *frontmatterReader) plain(n *yaml.Node) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		r.add(n, "The frontmatter uses an anchor or alias.")
	case n.Style&yaml.TaggedStyle != 0:
		r.add(n, "The frontmatter uses a YAML tag.")
	default:
		return true
	}
	return false
}

func (r *frontmatterReader) joinItems(n *yaml.Node) string {
	var items []string
	for _, item := range n.Content {
		if item.Kind != yaml.ScalarNode || !r.plain(item) {
			r.add(item, "An item of the list is not a plain text.")
			continue
		}
		items = append(items, item.Value)
	}
	return strings.Join(items, " ")
}
