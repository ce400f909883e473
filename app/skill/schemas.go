package skill

// Field is one field of a JSON object, or one parameter.
type Field struct {
	Name     string
	Type     string // string, number, integer, boolean, datetime, any, "a|b|c", the name of a schema, or "[]" and one of these
	Required bool   // in requests: must be sent; in answers: always there
	Null     bool   // may be null
	About    string
}

// Schema is one JSON object.
type Schema struct {
	Name   string
	Fields []Field
}

// Schemas lists all objects that calls take and return. Package web has a test that its types have exactly these fields.
func Schemas() []Schema {
	return append(requests(), answers()...)
}

func requests() []Schema {
	return []Schema{
		{"NewProfile", []Field{{Name: "description", Type: "string", Required: true, About: "what the profile is for, at most 1000 bytes"}}},
		{"NewKeys", []Field{{Name: "keys", Type: "[]NewKey", Required: true}}},
		{"NewKey", []Field{
			{Name: "name", Type: "string", Required: true, About: "letters, digits, underscores"},
			{Name: "description", Type: "string", About: "what it is for; the person reads it"},
			{Name: "mode", Type: "sealed|injected|plain", About: "a wish; injected or plain in this version"},
			{Name: "hosts", Type: "[]any", About: "a wish; host or {host, ports, protocol, reason}"},
		}},
		{"NewHosts", []Field{{Name: "hosts", Type: "[]NewHost", Required: true}}},
		{"NewHost", []Field{
			{Name: "host", Type: "string", Required: true, About: "name, name:port, *.name or {KEY}:port"},
			{Name: "ports", Type: "[]integer"},
			{Name: "protocol", Type: "http|https|postgres|tcp"},
			{Name: "reason", Type: "string", About: "why; the person reads it"},
		}},
		{"NewExecution", []Field{
			{Name: "profile_id", Type: "string", About: "unless a bearer is sent"},
			{Name: "script", Type: "string", Required: true, About: "Python, at most 1 MiB"},
			{Name: "timeout", Type: "number", About: "seconds of run time"},
			{Name: "inputs", Type: "any", About: "JSON for the script, at most 1 MiB"},
		}},
		{"Answer", []Field{
			{Name: "response", Type: "string", About: "exactly one of response and error"},
			{Name: "error", Type: "string"},
			{Name: "request_id", Type: "string", About: "guards against answering another question"},
		}},
	}
}

func answers() []Schema {
	return []Schema{
		{"Profile", []Field{
			{Name: "profile_id", Type: "string", Required: true},
			{Name: "description", Type: "string", Required: true},
			{Name: "locked", Type: "boolean", Required: true},
			{Name: "revoked", Type: "boolean", Required: true},
			{Name: "state", Type: "unlocked|locked|revoked|expired", Required: true},
			{Name: "expires_at", Type: "datetime", Required: true, Null: true},
			{Name: "keys", Type: "[]Key", Required: true},
			{Name: "hosts", Type: "[]Host", Required: true},
			{Name: "setup_url", Type: "string", Required: true},
			{Name: "pairing_code", Type: "string"},
			{Name: "created_at", Type: "datetime", Required: true},
		}},
		{"Key", []Field{
			{Name: "name", Type: "string", Required: true},
			{Name: "description", Type: "string", Required: true},
			{Name: "value_exists", Type: "boolean", Required: true},
			{Name: "mode", Type: "sealed|injected|plain"},
			{Name: "hosts", Type: "[]string"},
		}},
		{"Host", []Field{
			{Name: "host", Type: "string", Required: true},
			{Name: "ports", Type: "[]integer", Required: true},
			{Name: "protocol", Type: "http|https|postgres|tcp"},
			{Name: "reason", Type: "string"},
			{Name: "allowed", Type: "boolean", Required: true, About: "by a person"},
		}},
		{"Accepted", []Field{
			{Name: "execution_id", Type: "string", Required: true},
			{Name: "poll_url", Type: "string", Required: true},
			{Name: "status", Type: statusType, Required: true},
		}},
		execution(),
		{"LLMRequest", []Field{
			{Name: "request_id", Type: "string", Required: true},
			{Name: "prompt", Type: "string", Required: true},
			{Name: "model", Type: "string", Required: true},
		}},
		{"Timings", []Field{
			{Name: "queued_ms", Type: "integer", Required: true},
			{Name: "run_ms", Type: "integer", Required: true},
			{Name: "llm_ms", Type: "integer", Required: true},
		}},
		{"Connection", []Field{
			{Name: "host", Type: "string", Required: true},
			{Name: "port", Type: "integer"},
			{Name: "verdict", Type: "allowed|denied|failed", Required: true},
			{Name: "rule", Type: "string", About: "what allowed or denied it"},
			{Name: "count", Type: "integer", Required: true},
			{Name: "bytes_up", Type: "integer", Required: true},
			{Name: "bytes_down", Type: "integer", Required: true},
			{Name: "duration_ms", Type: "integer", Required: true},
			{Name: "hint", Type: "string", About: "what to do about a denial"},
		}},
		{"Executions", []Field{
			{Name: "executions", Type: "[]Execution", Required: true},
			{Name: "next", Type: "string", Required: true, Null: true, About: "URL of older ones"},
		}},
		{"Health", []Field{
			{Name: "status", Type: "string", Required: true},
			{Name: "version", Type: "string", Required: true},
			{Name: "api_version", Type: "integer", Required: true},
			{Name: "backend", Type: "string"},
			{Name: "isolation", Type: "string"},
			{Name: "sandbox", Type: "Sandbox", Required: true},
		}},
		{"Sandbox", []Field{{Name: "ready", Type: "boolean", Required: true}, {Name: "reason", Type: "string"}}},
		{"Error", []Field{{Name: "error", Type: "ErrorDetail", Required: true}}},
		{"ErrorDetail", []Field{
			{Name: "code", Type: "string", Required: true},
			{Name: "message", Type: "string", Required: true},
			{Name: "hint", Type: "string", Required: true, About: "the next step"},
			{Name: "field", Type: "string", About: "the input field at fault"},
		}},
	}
}

const statusType = "pending|running|awaiting_llm|completed|error|timeout|cancelled"

func execution() Schema {
	return Schema{"Execution", []Field{
		{Name: "execution_id", Type: "string", Required: true},
		{Name: "status", Type: statusType, Required: true},
		{Name: "created_at", Type: "datetime", Required: true},
		{Name: "started_at", Type: "datetime"},
		{Name: "llm_request", Type: "LLMRequest", About: "in awaiting_llm"},
		{Name: "result", Type: "any", Null: true, About: "what set_result was given"},
		{Name: "error", Type: "string", About: "why it did not complete"},
		{Name: "traceback", Type: "string", About: "the script's own lines"},
		{Name: "error_line", Type: "integer", About: "in the script"},
		{Name: "stdout", Type: "string"},
		{Name: "stderr", Type: "string"},
		{Name: "truncated", Type: "boolean", About: "stdout or stderr was cut"},
		{Name: "redactions", Type: "integer", About: "masked places"},
		{Name: "execution_time_ms", Type: "integer", About: "run time without LLM waits"},
		{Name: "timings", Type: "Timings"},
		{Name: "completed_at", Type: "datetime"},
		{Name: "backend", Type: "string"},
		{Name: "isolation", Type: "string"},
		{Name: "network", Type: "[]Connection"},
		{Name: "manifest", Type: "any", About: "hashes that define the run"},
	}}
}
