package bundle

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// Manifest is the frontmatter of SKILL.md. Fields of the open format and of Skillbox are at the top
// level, Airlock's under metadata, with the prefix "airlock.".
type Manifest struct {
	Name          string        `json:"name"`        // 1 to 64 of a-z, 0-9 and single dashes
	Description   string        `json:"description"` // 1 to 1024 characters
	License       string        `json:"license,omitempty"`
	Compatibility string        `json:"compatibility,omitempty"`
	Version       string        `json:"version,omitempty"`      // airlock.version or version; "" if there is none
	Entrypoint    string        `json:"entrypoint"`             // airlock.entrypoint, or a usual name: its path
	Language      Language      `json:"language"`               // of the entrypoint
	InputSchema   string        `json:"input_schema,omitempty"` // airlock.input-schema: JSON; "" takes any inputs
	Keys          []string      `json:"keys,omitempty"`         // airlock.keys: names of credentials that it needs
	Hosts         []app.Host    `json:"hosts,omitempty"`        // airlock.hosts
	Timeout       time.Duration `json:"timeout,omitempty"`      // airlock.timeout or timeout; 0: the runner's
	Image         string        `json:"image,omitempty"`        // airlock.image or image; "" leaves it to the operator

	// Needs is not from SKILL.md: Bundle.Needs, where it was noted.
	Needs Needs `json:"needs,omitzero"`
}

// ExampleInputs returns the example or default of the input schema; nil without one.
func (m Manifest) ExampleInputs() json.RawMessage {
	var schema struct {
		Examples []json.RawMessage `json:"examples"`
		Default  json.RawMessage   `json:"default"`
	}
	if json.Unmarshal([]byte(m.InputSchema), &schema) == nil && len(schema.Examples) > 0 {
		return schema.Examples[0]
	}
	return schema.Default
}

const (
	maxName        = 64
	maxDescription = 1024
	maxField       = 500 // of compatibility, by the format; of other short fields as well
	maxTimeout     = 24 * time.Hour
)

// known are the keys that are read; others are noted.
var (
	knownKeys = []string{"name", "description", "license", "compatibility", "metadata", "allowed-tools",
		"version", "lang", "image", "timeout"}
	ownKeys = []string{"version", "entrypoint", "input-schema", "keys", "hosts", "timeout", "image"}
)

const ownPrefix = "airlock."

type manifestReader struct {
	fields   map[string]field // those of metadata under metadata/name
	problems Problems
	notes    []string
}

// read fills in everything but the files.
func (b *Bundle) read() Problems {
	content, ok := b.File(SkillFile)
	if !ok {
		return Problems{{File: SkillFile, Message: "The bundle has no SKILL.md at its top.",
			Hint: "Pack the folder in which SKILL.md stands."}}
	}
	front, body, problem := splitFrontmatter(content)
	if problem != nil {
		return Problems{*problem}
	}
	fields, problems := readFrontmatter(front, "allowed-tools", ownPrefix+"keys", ownPrefix+"hosts")
	b.Instructions = body
	r := &manifestReader{fields: map[string]field{}, problems: problems}
	r.index(fields)
	b.Manifest = r.manifest(b)
	b.Notes = append(b.Notes, r.notes...)
	return append(r.problems, b.checkCodings()...)
}

func (b *Bundle) checkCodings() (problems Problems) {
	for _, f := range b.Files {
		if !isPython(f) {
			continue
		}
		if name, line := foreignCoding(string(f.Content)); name != "" {
			problems = append(problems, Problem{f.Path, line, "The encoding is " + app.VisibleText(app.Clip(name, 50)) + ".",
				"Write Python in UTF-8."})
		}
	}
	return problems
}

func (r *manifestReader) index(fields []field) {
	for _, f := range fields {
		if f.isMap != (f.name == "metadata" || f.name == "resources") {
			r.bad(f, "Write it as the format says.", "The value of %s has the wrong shape.", app.Clip(f.name, 100))
			continue
		}
		if !slices.Contains(knownKeys, f.name) {
			r.notes = append(r.notes, fmt.Sprintf("%s:%d: Airlock doesn't use the key %s.", SkillFile, f.line,
				app.VisibleText(app.Clip(f.name, 100))))
		}
		r.fields[f.name] = f
		if f.name != "metadata" {
			continue
		}
		for _, own := range f.fields {
			name, isOwn := strings.CutPrefix(own.name, ownPrefix)
			if isOwn && !slices.Contains(ownKeys, name) {
				r.bad(own, nearest(name), "There is no key %s.", app.VisibleText(app.Clip(own.name, 100)))
			}
			r.fields[own.name] = own
		}
	}
}

func nearest(name string) string {
	if guess := app.Nearest(name, ownKeys); guess != "" {
		return "Did you mean " + ownPrefix + guess + "?"
	}
	return "Airlock's keys are " + ownPrefix + strings.Join(ownKeys, ", "+ownPrefix) + "."
}

func (r *manifestReader) bad(f field, hint, format string, args ...any) {
	r.problems = append(r.problems,
		Problem{File: SkillFile, Line: f.line, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// ownField is Airlock's field of a name, or else Skillbox's at the top level.
func (r *manifestReader) ownField(name string) field {
	if f, ok := r.fields[ownPrefix+name]; ok {
		return f
	}
	return r.fields[name]
}

func (r *manifestReader) manifest(b *Bundle) Manifest {
	m := Manifest{
		Name:          r.name(),
		Description:   r.text(r.fields["description"], "description", maxDescription),
		License:       r.text(r.fields["license"], "license", maxField),
		Compatibility: r.text(r.fields["compatibility"], "compatibility", maxField),
		Version:       r.version(),
		Keys:          r.keys(),
		Hosts:         r.hosts(),
		Timeout:       r.timeout(),
		Image:         r.text(r.ownField("image"), "image", maxField),
	}
	if m.Description == "" {
		r.bad(r.fields["description"], "Say what the skill does and when to use it.", "The skill has no description.")
	}
	m.Entrypoint, m.Language = r.entrypoint(b)
	m.InputSchema = r.inputSchema(b)
	return m
}

func (r *manifestReader) text(f field, name string, limit int) string {
	text := strings.TrimSpace(f.text)
	if n := utf8.RuneCountInString(text); n > limit {
		r.bad(f, "Shorten it.", "The %s has %d characters, more than %d.", name, n, limit)
	}
	return text
}

var skillName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (r *manifestReader) name() string {
	f := r.fields["name"]
	if len(f.text) > maxName || !skillName.MatchString(f.text) {
		r.bad(f, "", "A skill's name has 1 to %d lower-case letters, digits and single dashes between them.", maxName)
	}
	return f.text
}

var version = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+-]*$`)

func (r *manifestReader) version() string {
	f := r.ownField("version")
	if f.text != "" && (len(f.text) > 50 || !version.MatchString(f.text)) {
		r.bad(f, "Write it like 1.2.0.", "The version is not one of at most 50 letters, digits, dots, dashes and pluses.")
	}
	return f.text
}

// words are the parts of a field that has several, between blanks or commas.
func words(f field) []string {
	return strings.FieldsFunc(f.text, func(c rune) bool { return strings.ContainsRune(" \t\n,", c) })
}

func (r *manifestReader) keys() []string {
	f := r.fields[ownPrefix+"keys"]
	keys := words(f)
	for _, key := range keys {
		if err := app.CheckName(key); err != nil {
			r.bad(f, "Name the credentials as on the page of credentials, between blanks.",
				"%s is no name of a credential.", app.VisibleText(app.Clip(key, 100)))
		}
	}
	return keys
}

func (r *manifestReader) hosts() (hosts []app.Host) {
	f := r.fields[ownPrefix+"hosts"]
	for word := range strings.FieldsSeq(f.text) {
		word = strings.TrimSuffix(word, ",") // one inside is part of a list of ports
		host, err := app.ParseHost(word)
		if err != nil {
			r.bad(f, "Write hosts as api.example.com or api.example.com:8443, between blanks.",
				"%s is no host.", app.VisibleText(app.Clip(word, 100)))
			continue
		}
		hosts = append(hosts, host)
	}
	return hosts
}

// timeout reads seconds, or what Go calls a duration, as Skillbox does.
func (r *manifestReader) timeout() time.Duration {
	f := r.ownField("timeout")
	if f.text == "" {
		return 0
	}
	timeout, err := time.ParseDuration(f.text)
	if seconds, notNumber := strconv.Atoi(f.text); notNumber == nil {
		timeout, err = time.Duration(min(max(seconds, -1), int(2*maxTimeout/time.Second)))*time.Second, nil
	}
	if err != nil || timeout < time.Second || timeout > maxTimeout {
		r.bad(f, "Write it in seconds, such as 120, or as 2m.", "The timeout is not a time of one second to %v hours.",
			maxTimeout.Hours())
		return 0
	}
	return timeout
}
