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
	Name    string
	Fields  []Field
	Request bool // it is sent: a field that isn't here is refused. Answers grow.
}

// Schemas lists all objects that calls take and return. A test in package web compares them with
// its types.
func Schemas() []Schema {
	list := requests()
	for i := range list {
		list[i].Request = true
	}
	return append(list, answers()...)
}

func requests() []Schema {
	return []Schema{
		{Name: "NewProfile", Fields: []Field{{Name: "description", Type: "string", Required: true,
			About: "what the profile is for, at most 1000 bytes"}}},
		{Name: "NewKeys", Fields: []Field{{Name: "keys", Type: "[]NewKey", Required: true}}},
		{Name: "NewKey", Fields: []Field{
			{Name: "name", Type: "string", Required: true, About: "letters, digits, underscores"},
			{Name: "description", Type: "string", About: "what it is for; the person reads it"},
			{Name: "mode", Type: "sealed|injected|plain", About: "a wish; the person decides"},
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

func answers() []Schema {
	return []Schema{
		{Name: "Profile", Fields: []Field{
			{Name: "profile_id", Type: "string", Required: true, About: "self where the call named self"},
			{Name: "description", Type: "string", Required: true},
			{Name: "locked", Type: "boolean", Required: true},
			{Name: "revoked", Type: "boolean", Required: true},
			{Name: "state", Type: "unlocked|locked|revoked|expired", Required: true},
			{Name: "may_run", Type: "any|approved_scripts|approved_skills", Required: true, About: "a person chooses it"},
			{Name: "expires_at", Type: "datetime", Required: true, Null: true},
			{Name: "keys", Type: "[]Key", Required: true},
			{Name: "hosts", Type: "[]Host", Required: true},
			{Name: "setup_url", Type: "string", Required: true},
			{Name: "pairing_code", Type: "string"},
			{Name: "created_at", Type: "datetime", Required: true},
		}},
		{Name: "Key", Fields: []Field{
			{Name: "name", Type: "string", Required: true},
			{Name: "description", Type: "string", Required: true},
			{Name: "value_exists", Type: "boolean", Required: true},
			{Name: "mode", Type: "sealed|injected|plain",
				About: "sealed: scripts hold a placeholder; injected: the value itself; plain: not secret, not masked"},
			{Name: "hosts", Type: "[]string", About: "where its value may go"},
		}},
		{Name: "Host", Fields: []Field{
			{Name: "host", Type: "string", Required: true},
			{Name: "ports", Type: "[]integer", Required: true},
			{Name: "protocol", Type: "http|https|postgres|tcp"},
			{Name: "reason", Type: "string"},
			{Name: "allowed", Type: "boolean", Required: true, About: "by a person"},
			{Name: "declined_at", Type: "datetime", About: "a person said no; ask again only with a new reason"},
		}},
		{Name: "Accepted", Fields: []Field{
			{Name: "execution_id", Type: "string", Required: true},
			{Name: "poll_url", Type: "string", Required: true},
			{Name: "status", Type: statusType, Required: true},
			{Name: "next_step", Type: "string", About: "in awaiting_approval: what to ask the person"},
		}},
		execution(),
		{Name: "Repeat", Fields: []Field{
			{Name: "of", Type: "string", About: "the execution it repeats"},
			{Name: "same_result", Type: "boolean", Required: true, Null: true, About: "null until both ended"},
			{Name: "differs", Type: "[]string", Required: true, About: "fields of the manifest"},
		}},
		{Name: "LLMRequest", Fields: []Field{
			{Name: "request_id", Type: "string", Required: true},
			{Name: "prompt", Type: "string", Required: true},
			{Name: "model", Type: "string", Required: true},
		}},
		{Name: "Timings", Fields: []Field{
			{Name: "queued_ms", Type: "integer", Required: true},
			{Name: "run_ms", Type: "integer", Required: true},
			{Name: "llm_ms", Type: "integer", Required: true},
		}},
		{Name: "Masked", Fields: []Field{
			{Name: "key", Type: "string", Required: true, About: "of the profile; empty for what looks like a secret"},
			{Name: "channel", Type: "string", Required: true,
				About: "where: stdout, stderr, error (with its traceback), result, prompt, network, artifacts"},
			{Name: "count", Type: "integer", Required: true},
		}},
		{Name: "Artifact", Fields: []Field{
			{Name: "name", Type: "string", Required: true},
			{Name: "size", Type: "integer", Required: true, About: "bytes"},
			{Name: "sha256", Type: "string", About: "absent if it was withheld"},
			{Name: "type", Type: "string", About: "media type, guessed"},
			{Name: "url", Type: "string", About: "good for an hour, without the bearer; absent if its content is not kept"},
			{Name: "masked", Type: "integer", About: "places in a text"},
			{Name: "withheld", Type: "Withheld", About: "why its content is not kept"},
		}},
		{Name: "Withheld", Fields: []Field{
			{Name: "reason", Type: "string", Required: true},
			{Name: "key", Type: "string", About: "whose value it holds, if that is why"},
		}},
		{Name: "File", Fields: []Field{
			{Name: "file_id", Type: "string", Required: true},
			{Name: "name", Type: "string", Required: true},
			{Name: "size", Type: "integer", Required: true, About: "bytes"},
			{Name: "sha256", Type: "string", Required: true},
			{Name: "created_at", Type: "datetime", Required: true},
			{Name: "expires_at", Type: "datetime", Required: true},
		}},
		{Name: "Skill", Fields: []Field{
			{Name: "name", Type: "string", Required: true},
			{Name: "version", Type: "integer", Required: true, About: "counts the uploads"},
			{Name: "label", Type: "string", About: "the author's version"},
			{Name: "digest", Type: "string", Required: true, About: "of the files"},
			{Name: "state", Type: "quarantined|approved|revoked", Required: true},
			{Name: "enabled", Type: "boolean", Required: true, About: "false while a person has switched it off"},
			{Name: "runs", Type: "boolean", Required: true, About: "it is what POST /execute runs by the name alone"},
			{Name: "reason", Type: "string", About: "why it was revoked"},
			{Name: "next_step", Type: "string", About: "while it is quarantined: what to ask the person"},
			{Name: "description", Type: "string", Required: true},
			{Name: "keys", Type: "[]string", About: "names of credentials that it needs"},
			{Name: "hosts", Type: "[]string", About: "that it needs"},
			{Name: "uploaded_at", Type: "datetime", Required: true},
			{Name: "input_schema", Type: "any", About: "JSON Schema of its inputs"},
			{Name: "example", Type: "any", About: "of POST /execute"},
			{Name: "facts", Type: "Facts", About: "of the first version"},
			{Name: "missing", Type: "[]string", About: "what it needs and your profile's sandbox lacks: limits, image, modules"},
		}},
		{Name: "Facts", Fields: []Field{
			{Name: "hosts", Type: "[]string", About: "in its texts, without those that it asks for"},
			{Name: "imports", Type: "[]string", About: "modules that its Python imports"},
			{Name: "requirements", Type: "[]string", About: "lines of requirements.txt"},
			{Name: "calls", Type: "[]Finding", About: "Python that runs code or programs, loads native code or opens sockets"},
			{Name: "environment", Type: "[]Finding", About: "Python that reads environment variables"},
			{Name: "unread", Type: "[]Finding", About: "why a Python file was not read to its end"},
			{Name: "secrets", Type: "[]Finding", About: "what looks like a secret"},
			{Name: "invisible", Type: "[]Finding", About: "characters that can't be seen"},
			{Name: "mixed", Type: "[]Finding", About: "words that mix alphabets"},
			{Name: "binary", Type: "[]string", About: "files that are not text"},
		}},
		{Name: "Finding", Fields: []Field{
			{Name: "file", Type: "string", Required: true}, {Name: "line", Type: "integer", Required: true},
			{Name: "what", Type: "string", Required: true},
		}},
		{Name: "Skills", Fields: []Field{{Name: "skills", Type: "[]Skill", Required: true}}},
		{Name: "Files", Fields: []Field{{Name: "files", Type: "[]File", Required: true}}},
		{Name: "Connection", Fields: []Field{
			{Name: "host", Type: "string", Required: true},
			{Name: "port", Type: "integer"},
			{Name: "verdict", Type: "allowed|denied|failed", Required: true},
			{Name: "rule", Type: "string", About: "what allowed or denied it; a relay says 'server name not checked'"},
			{Name: "line", Type: "integer", About: "of the script that first asked for it"},
			{Name: "method", Type: "string", About: "of a request that Airlock could read"},
			{Name: "path", Type: "string", About: "with the query"},
			{Name: "status", Type: "integer", About: "of the answer"},
			{Name: "credentials", Type: "[]string", About: "sealed keys whose values were put in"},
			{Name: "count", Type: "integer", Required: true},
			{Name: "bytes_up", Type: "integer", Required: true},
			{Name: "bytes_down", Type: "integer", Required: true},
			{Name: "duration_ms", Type: "integer", Required: true},
			{Name: "hint", Type: "string", About: "what to do about a denial"},
		}},
		{Name: "Executions", Fields: []Field{
			{Name: "executions", Type: "[]Execution", Required: true},
			{Name: "next", Type: "string", Required: true, Null: true, About: "URL of older ones"},
		}},
		{Name: "Health", Fields: []Field{
			{Name: "status", Type: "string", Required: true},
			{Name: "version", Type: "string", Required: true},
			{Name: "api_version", Type: "integer", Required: true},
			{Name: "backend", Type: "string"},
			{Name: "isolation", Type: "string"},
			{Name: "sandbox", Type: "Sandbox", Required: true},
			{Name: "retired", Type: "boolean", Required: true,
				About: "the instance moved to another address and runs nothing any more"},
			{Name: "paused", Type: "boolean", Required: true,
				About: "a person has paused all executions: what is submitted waits"},
			{Name: "full", Type: "boolean", Required: true, About: "the disk is full: nothing new is taken until there is room"},
		}},
		{Name: "Packages", Fields: []Field{{Name: "runtimes", Type: "[]Runtime", Required: true}}},
		{Name: "Runtime", Fields: []Field{
			{Name: "backend", Type: "string", Required: true},
			{Name: "image", Type: "string", About: "absent: the backend's default"},
			{Name: "default", Type: "boolean", Required: true, About: "used unless a profile requires another"},
			{Name: "python", Type: "string"},
			{Name: "packages", Type: "[]Package", Required: true, Null: true},
		}},
		{Name: "Package", Fields: []Field{{Name: "name", Type: "string", Required: true},
			{Name: "version", Type: "string", Required: true}}},
		{Name: "Sandbox", Fields: []Field{{Name: "ready", Type: "boolean", Required: true},
			{Name: "checking", Type: "boolean", About: "it has just started; what is submitted waits"},
			{Name: "reason", Type: "string"}}},
		{Name: "Error", Fields: []Field{{Name: "error", Type: "ErrorDetail", Required: true}}},
		{Name: "ErrorDetail", Fields: []Field{
			{Name: "code", Type: "string", Required: true},
			{Name: "message", Type: "string", Required: true},
			{Name: "hint", Type: "string", Required: true, About: "the next step"},
			{Name: "field", Type: "string", About: "the input field at fault"},
		}},
	}
}

const statusType = "awaiting_approval|pending|running|awaiting_llm|completed|error|timeout|cancelled"

func execution() Schema {
	return Schema{Name: "Execution", Fields: []Field{
		{Name: "execution_id", Type: "string", Required: true},
		{Name: "status", Type: statusType, Required: true},
		{Name: "phase", Type: "awaiting_approval|queued|starting|running|awaiting_llm|finishing",
			About: "until it has ended; starting: waits for a sandbox"},
		{Name: "next_step", Type: "string", About: "in awaiting_approval: what to ask the person"},
		{Name: "skill", Type: "string", About: "name@number of the skill that it runs"},
		{Name: "label", Type: "string"},
		{Name: "timeout", Type: "number", Required: true, About: "seconds it may run"},
		{Name: "script", Type: "string", About: "with ?include=script; secrets in it are masked"},
		{Name: "inputs", Type: "any", About: "with ?include=inputs; secrets in them are masked"},
		{Name: "paused", Type: "boolean",
			About: "pending because a person has paused all executions; it runs when they go on"},
		{Name: "created_at", Type: "datetime", Required: true},
		{Name: "started_at", Type: "datetime"},
		{Name: "llm_request", Type: "LLMRequest", About: "in awaiting_llm"},
		{Name: "result", Type: "any", Null: true, About: "what set_result was given"},
		{Name: "error", Type: "string", About: "why it did not complete; in lists its first line"},
		{Name: "traceback", Type: "string", About: "the script's own lines"},
		{Name: "error_line", Type: "integer", About: "in the script"},
		{Name: "warnings", Type: "[]string", About: "limits that it reached without being ended by them"},
		{Name: "stdout", Type: "string", About: "so far, while it runs"},
		{Name: "stderr", Type: "string", About: "so far, while it runs"},
		{Name: "truncated", Type: "boolean", About: "stdout or stderr was cut"},
		{Name: "redactions", Type: "integer",
			About: "places that were masked in what came out of the sandbox, in all channels together"},
		{Name: "masked", Type: "[]Masked", About: "what redactions counts, by channel and key"},
		{Name: "execution_time_ms", Type: "integer", About: "run time without LLM waits; so far, while it runs"},
		{Name: "timings", Type: "Timings"},
		{Name: "completed_at", Type: "datetime"},
		{Name: "backend", Type: "string"},
		{Name: "isolation", Type: "string"},
		{Name: "injected", Type: "[]string", About: "keys whose values the script held"},
		{Name: "network", Type: "[]Connection"},
		{Name: "manifest", Type: "any", About: "hashes that define the run"},
		{Name: "rerun", Type: "Repeat", About: "of a re-run"},
		{Name: "artifacts", Type: "[]Artifact", About: "files that the script left"},
	}}
}
