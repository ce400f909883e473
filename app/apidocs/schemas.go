package apidocs

// Field is one field of a JSON object, or one parameter.
type Field struct {
	Name string
	// string, number, integer, boolean, datetime, any, "a|b|c", a schema's name, "string or " and a
	// schema, or "[]" and one of these
	Type     string
	Required bool // in requests: must be sent; in answers: always there
	Null     bool // may be null
	About    string
}

// Schema is one JSON object.
type Schema struct {
	Name   string
	Fields []Field
}

// requests are the objects that calls take.
func requests() []Schema {
	return []Schema{
		{Name: "NewProfile", Fields: []Field{{Name: "description", Type: "string", Required: true,
			About: "what the profile is for, at most 1000 bytes"}}},
		{Name: "NewKeys", Fields: []Field{{Name: "keys", Type: "[]NewKey", Required: true}}},
		{Name: "NewKey", Fields: []Field{
			{Name: "name", Type: "string", Required: true, About: "letters, digits, underscores"},
			{Name: "description", Type: "string", About: "what it is for; the person reads it"},
			{Name: "mode", Type: "sealed|injected|plain", About: "a wish; the person decides. sealed: scripts hold a " +
				"placeholder; injected: the value itself; plain: not secret, not masked"},
			{Name: "hosts", Type: "[]string or NewHost",
				About: "where the value is to go, if to fewer hosts than the credential allows; host or {host, ports, protocol, " +
					"reason}"},
		}},
		{Name: "NewHosts", Fields: []Field{{Name: "hosts", Type: "[]string or NewHost", Required: true}}},
		{Name: "NewHost", Fields: []Field{
			{Name: "host", Type: "string", Required: true, About: "name, name:port, *.name or {KEY}:port"},
			{Name: "ports", Type: "[]integer"},
			{Name: "protocol", Type: "http|https|postgres|tcp",
				About: "if not the port's; postgres and tcp not on ports 80 and 443"},
			{Name: "reason", Type: "string", About: "why; the person reads it"},
		}},
		{Name: "NewExecution", Fields: []Field{
			{Name: "profile_id", Type: "string", About: "unless a bearer is sent"},
			{Name: "script", Type: "string", About: "Python, at most 1 MiB"},
			{Name: "skill", Type: "string", About: "instead of script: NAME, NAME@VERSION or digest; inputs follow its schema"},
			{Name: "timeout", Type: "number", About: "seconds of run time"},
			{Name: "inputs", Type: "any", About: "JSON for the script, at most 1 MiB"},
			{Name: "label", Type: "string", About: "your name for the run, one line of at most 100 bytes; people see it"},
			{Name: "files", Type: "any", About: "file ids by the names that the script knows, at most 100 of 64 MiB together"},
		}},
		{Name: "Rerun", Fields: []Field{
			{Name: "inputs", Type: "any", About: "instead of those of the first time"},
			{Name: "timeout", Type: "number", About: "likewise"},
			{Name: "label", Type: "string", About: "likewise"},
			{Name: "files", Type: "any", About: "likewise"},
			{Name: "live", Type: "boolean", About: "ask for real what was not asked then"},
		}},
		{Name: "NewSkill", Fields: []Field{
			{Name: "execution_id", Type: "string", Required: true, About: "whose script it is to be"},
			{Name: "name", Type: "string", Required: true, About: "1 to 64 of a-z, 0-9 and single dashes"},
			{Name: "description", Type: "string", Required: true, About: "what it does and when to use it"},
		}},
		{Name: "Answer", Fields: []Field{
			{Name: "response", Type: "string", About: "exactly one of response and error"},
			{Name: "error", Type: "string"},
			{Name: "request_id", Type: "string", About: "guards against answering another question"},
		}},
	}
}
