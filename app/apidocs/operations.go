package apidocs

import "github.com/computclaw/airlock/app"

// Operation is one call of the agent API.
type Operation struct {
	ID       string // camel case, unique
	Method   string
	Path     string // parameters in braces
	Summary  string // one line
	Detail   string // more lines, for the text; may be empty
	Auth     Auth
	Query    []Field
	Headers  []Field
	Body     string // name of the schema of the request body; "" if it takes none
	Request  string // example body; "" if it takes none
	Raw      bool   // the body is a file as it is
	Zip      bool   // the body may be a zip file instead
	Minor    bool   // it has no section of its own in the text
	Status   int    // of success
	Returns  string // name of the schema of the answer; "" if it isn't one of them
	Media    string // content type of an answer that has no schema
	Response string // example answer
	Also     string // another success status and when, such as "200 with ?wait= …"
	Errors   []app.Code
}

// Auth is how a call identifies its caller.
type Auth string

// The ways.
const (
	AuthNone   Auth = "none"
	AuthPath   Auth = "path"   // the id in the path is the token
	AuthBearer Auth = "bearer" // Authorization: Bearer ark_…
	AuthEither Auth = "either" // profile_id in the body, or the bearer
	AuthOption Auth = "option" // says more with the bearer
)

var wait = Field{Name: "wait", Type: "number", About: "seconds to hold the call open, 0 to 50"}

// Operations lists the whole agent API in the order of use.
func Operations() []Operation {
	return []Operation{
		{
			ID: "createProfile", Method: "POST", Path: "/profiles", Auth: AuthNone, Status: 201,
			Summary: "Create a profile",
			Detail: "`description`: its first line is a short name, the rest says what it is for. Keep `profile_id`: it is " +
				"your token and the only copy you get. Tell the person `setup_url` and `pairing_code`.",
			Body: "NewProfile", Returns: "Profile",
			Request: `{"description": "Oracle reporting, read only"}`,
			Response: `{"profile_id": "ark_…", "locked": false, "state": "unlocked", "keys": [], "hosts": [], ` +
				`"setup_url": "https://…/ui/profiles/…", "pairing_code": "k7m-4qx", …}`,
			Errors: []app.Code{app.CodeInvalidField, app.CodeRateLimited, app.CodeProfilesDisabled, app.CodeInstanceRetired,
				app.CodeStorageBusy, app.CodeStorageFull},
		},
		{
			ID: "addKeys", Method: "POST", Path: "/profiles/{id}/keys", Auth: AuthPath, Status: 200,
			Summary: "Ask for keys (unlocked profiles only)",
			Detail: "Say in `description` what each is for: the person reads it. Asking again for a name replaces what you " +
				"asked before, until a person has linked it. `mode` and `hosts` are optional requests; `hosts` can only narrow " +
				"where the value may go. `DELETE …/keys/{name}` withdraws one.",
			Body: "NewKeys", Returns: "Profile",
			Request: `{"keys": [{"name": "SIMPHONY_API_KEY", "description": "Simphony REST API key"}, {"name": ` +
				`"DB_HOST", "description": "Oracle DB host name", "mode": "plain"}]}`,
			Response: "",
			Errors: []app.Code{app.CodeInvalidField, app.CodeNotFound, app.CodeProfileLocked, app.CodeProfileRevoked,
				app.CodeProfileExpired, app.CodeStorageBusy},
		},
		{
			ID: "removeKey", Method: "DELETE", Path: "/profiles/{id}/keys/{name}", Auth: AuthPath, Minor: true, Status: 200,
			Summary: "Withdraw a key (unlocked profiles only)", Returns: "Profile",
			Errors: []app.Code{app.CodeNotFound, app.CodeProfileLocked, app.CodeProfileRevoked, app.CodeProfileExpired,
				app.CodeStorageBusy},
		},
		{
			ID: "proposeHosts", Method: "POST", Path: "/profiles/{id}/hosts", Auth: AuthPath, Status: 200,
			Summary: "Ask for hosts the scripts may reach",
			Detail: "`host` is `name`, `name:port`, `*.name` or `{KEY}:port` (the value of a plain key, which the profile " +
				"has to have already). Without a port: 80 and 443. Nothing is reachable until a person allows it, before the " +
				"lock or after. An open request for the same host and port takes your reason. Ask again for a declined one " +
				"(`declined_at`) only with a new reason. `DELETE …/hosts/{host}` withdraws one.",
			Body: "NewHosts", Returns: "Profile",
			Request: `{"hosts": [{"host": "api.example.com", "reason": "revenue data"}, {"host": "{DB_HOST}:1521", ` +
				`"reason": "read the ledger"}]}`,
			Errors: []app.Code{app.CodeInvalidField, app.CodeNotFound, app.CodeProfileRevoked, app.CodeProfileExpired,
				app.CodeStorageBusy},
		},
		{
			ID: "withdrawHost", Method: "DELETE", Path: "/profiles/{id}/hosts/{host}", Auth: AuthPath, Minor: true, Status: 200,
			Summary: "Withdraw an open request", Returns: "Profile",
			Errors: []app.Code{app.CodeNotFound, app.CodeConflict, app.CodeProfileRevoked, app.CodeProfileExpired,
				app.CodeStorageBusy},
		},
		{
			ID: "readProfile", Method: "GET", Path: "/profiles/{id}", Auth: AuthPath, Status: 200,
			Summary: "Read the profile", Query: []Field{wait}, Returns: "Profile",
			Detail: "With `?wait=50` it returns as soon as the person changed something, so loop on it until `locked` is " +
				"true. A key's `value_exists` turns true when a person has linked it to a value. `mode` and `hosts` then say how " +
				"a script gets it and where it may go.",
			Response: `{"locked": true, "keys": [{"name": "SIMPHONY_API_KEY", "mode": "sealed", ` +
				`"value_exists": true, …}], "hosts": [{"host": "api.example.com", "allowed": true, …}], …}`,
			Errors: []app.Code{app.CodeNotFound},
		},
		{
			ID: "execute", Method: "POST", Path: "/execute", Auth: AuthEither, Status: 202,
			Summary: "Run a script, or with `skill` in its place an approved skill", Query: []Field{wait}, Body: "NewExecution",
			Returns: "Accepted",
			Headers: []Field{{Name: "Idempotency-Key", Type: "string",
				About: "for 24 h the same key and body return the same execution"}},
			Detail: "`timeout` (seconds of run time), `inputs` (any JSON, `inputs` in the script), `label` (your name for " +
				"the run) and `files` (`{\"orders.csv\": \"file_…\"}`) are optional. Send an `Idempotency-Key` header " +
				"if you may have to repeat the request.",
			Also: "200 and the whole execution with `?wait=S` if it ended or waits for the LLM by then",
			Request: `{"profile_id": "ark_…", "script": "set_result({'total': 40 + inputs['add']})", "timeout": 60, ` +
				`"inputs": {"add": 2}}`,
			Response: `{"execution_id": "exec_…", "poll_url": "https://…/executions/exec_…", "status": "pending"}`,
			Errors: []app.Code{app.CodeInvalidJSON, app.CodeUnknownField, app.CodeInvalidField, app.CodeTooLarge,
				app.CodeUnauthorized, app.CodeProfileUnlocked, app.CodeProfileRevoked,
				app.CodeProfileExpired, app.CodeFileNotFound, app.CodeMissingValue, app.CodeIdempotencyReused, app.CodeQueueFull,
				app.CodeScriptNotAllowed, app.CodeScriptRefused, app.CodeSkillNotFound, app.CodeSkillNotApproved,
				app.CodeSkillRevoked, app.CodeSkillDisabled, app.CodePackageMissing,
				app.CodeSandboxUnavailable, app.CodeInstanceRetired, app.CodeStorageBusy, app.CodeStorageFull},
		},
		{
			ID: "uploadFile", Method: "POST", Path: "/files", Auth: AuthBearer, Status: 201, Raw: true, Returns: "File",
			Summary: "Send a file for scripts",
			Detail: "The body is the file, at most 64 MiB, `?name=` its name. Airlock deletes it after a day, or a week after " +
				"its last use; `DELETE /files/{id}` at once.",
			Query:    []Field{{Name: "name", Type: "string", About: "of the file"}},
			Response: `{"file_id": "file_…", "name": "orders.csv", "size": 812, "sha256": "…", …}`,
			Errors: []app.Code{app.CodeUnauthorized, app.CodeInvalidField, app.CodeTooLarge, app.CodeUnsupportedMedia,
				app.CodeProfileUnlocked, app.CodeProfileRevoked, app.CodeProfileExpired, app.CodeRateLimited, app.CodeStorageFull},
		},
		{
			ID: "listFiles", Method: "GET", Path: "/files", Auth: AuthBearer, Minor: true, Status: 200, Returns: "Files",
			Summary: "List the profile's newest files, up to 1,000",
			Errors: []app.Code{app.CodeUnauthorized, app.CodeProfileUnlocked, app.CodeProfileRevoked,
				app.CodeProfileExpired},
		},
		{
			ID: "deleteFile", Method: "DELETE", Path: "/files/{id}", Auth: AuthBearer, Minor: true, Status: 204,
			Summary: "Delete a file",
			Errors: []app.Code{app.CodeUnauthorized, app.CodeNotFound, app.CodeProfileUnlocked, app.CodeProfileRevoked,
				app.CodeProfileExpired},
		},
		{
			ID: "readArtifact", Method: "GET", Path: "/executions/{id}/artifacts/{name}", Auth: AuthOption, Status: 200,
			Minor:   true,
			Summary: "Read an artifact", Media: "*/*",
			Detail: "With the bearer, or by the artifact's `url`, which is good for an hour: give that to the person. " +
				"`…/artifacts.tar.gz` (bearer) has all.",
			Query: []Field{{Name: "expires", Type: "integer", About: "of a url"},
				{Name: "signature", Type: "string", About: "of a url"}},
			Errors: []app.Code{app.CodeUnauthorized, app.CodeNotFound, app.CodeProfileRevoked},
		},
		{
			ID: "readArtifacts", Method: "GET", Path: "/executions/{id}/artifacts.tar.gz", Auth: AuthBearer, Status: 200,
			Minor:   true,
			Summary: "Read all artifacts of an execution", Media: "application/gzip",
			Errors: []app.Code{app.CodeUnauthorized, app.CodeNotFound, app.CodeProfileRevoked},
		},
		{
			ID: "readExecution", Method: "GET", Path: "/executions/{id}", Auth: AuthPath, Status: 200,
			Summary: "Read an execution", Returns: "Execution",
			Query: []Field{wait, {Name: "include", Type: "string",
				About: "script, inputs or both with a comma; needs the bearer"}},
			Detail: "With `?wait=50` it returns at the end or at an LLM question. While it runs, `phase`, `execution_time_ms` " +
				"(of `timeout` seconds), `stdout` and `stderr` tell how far it is. `include` adds what was submitted. " +
				"`network` lists every connection, with a hint for each denied one. An artifact's `url` is good for an hour: " +
				"give it to the person. `/executions/{id}/artifacts.tar.gz` has all.",
			Response: `{"execution_id": "exec_…", "status": "completed", "result": {"total": 42}, "stdout": "", ` +
				`"artifacts": [{"name": "report.xlsx", "url": "https://…", …}], …}`,
			Errors: []app.Code{app.CodeNotFound, app.CodeProfileRevoked, app.CodeInvalidField, app.CodeUnauthorized},
		},
		{
			ID: "respond", Method: "POST", Path: "/executions/{id}/respond", Auth: AuthPath, Status: 200,
			Summary: "Answer the script's LLM question", Query: []Field{wait}, Body: "Answer", Returns: "Execution",
			Detail: "Only in status `awaiting_llm`, whose `llm_request` is `{request_id, prompt, model}`: run the prompt " +
				"with your own model. `{\"error\": \"…\"}` instead raises `llm.Error` in the script.",
			Request:  `{"response": "Q4 revenue rose by 15%.", "request_id": "…"}`,
			Response: `{"execution_id": "exec_…", "status": "running", …}`,
			Also:     "202 and `poll_url` if the server has no memory for a long answer",
			Errors: []app.Code{app.CodeInvalidField, app.CodeTooLarge, app.CodeNotFound, app.CodeNotWaiting,
				app.CodeRequestMismatch, app.CodeProfileRevoked, app.CodeStorageBusy},
		},
		{
			ID: "cancel", Method: "POST", Path: "/executions/{id}/cancel", Auth: AuthPath, Status: 200,
			Summary: "Stop an execution", Returns: "Execution",
			Detail: "Returns once nothing of it runs.",
			Also:   "202 as `respond`",
			Errors: []app.Code{app.CodeNotFound, app.CodeAlreadyEnded, app.CodeProfileRevoked, app.CodeStorageBusy},
		},
		{
			ID: "rerun", Method: "POST", Path: "/executions/{id}/rerun", Auth: AuthPath, Status: 202,
			Summary: "Run an ended execution again", Query: []Field{wait}, Body: "Rerun", Returns: "Accepted",
			Detail: "The same script under the profile as it is now, with the same `inputs`, `files`, `timeout` and " +
				"`label` unless you send others. The LLM answers given then are played back, " +
				"each to the very same prompt. " +
				"A new question ends it with an error, " +
				"or with `live` is asked as usual. Its `rerun` says whether the result is the same, or which fields of " +
				"`manifest` differ.",
			Request: `{"inputs": {"month": "2026-10"}}`,
			Also:    "200 as `POST /execute`",
			Errors: []app.Code{app.CodeNotFound, app.CodeConflict, app.CodeProfileRevoked, app.CodeProfileExpired,
				app.CodeFileNotFound, app.CodeMissingValue, app.CodeInvalidField, app.CodeTooLarge, app.CodeQueueFull,
				app.CodeSandboxUnavailable,
				app.CodeInstanceRetired, app.CodeStorageBusy, app.CodeStorageFull},
		},
		{
			ID: "listExecutions", Method: "GET", Path: "/executions", Auth: AuthBearer, Status: 200,
			Summary: "List the profile's executions, newest first", Returns: "Executions",
			Query: []Field{
				{Name: "limit", Type: "integer", About: "1 to 100; 50 if absent"},
				{Name: "status", Type: "string", About: "only those"},
				{Name: "label", Type: "string", About: "only those"},
				{Name: "skill", Type: "string", About: "only those: NAME or NAME@NUMBER"},
				{Name: "before", Type: "string", About: "what next has as before"},
			},
			Detail: "`?limit=`, `?status=`, `?label=`, `?skill=` and `?before=` choose; `next` has the URL of " +
				"older ones.",
			Errors: []app.Code{app.CodeUnauthorized, app.CodeInvalidField, app.CodeProfileRevoked},
		},
		{
			ID: "uploadSkill", Method: "POST", Path: "/skills", Auth: AuthBearer, Status: 201,
			Zip: true, Body: "NewSkill", Returns: "Skill",
			Summary: "Save a script as a skill",
			Detail: "Or send a zip with SKILL.md (`application/zip`). A person approves each version: tell them `next_step`. " +
				"`GET /skills` lists what you may run, `GET /skills/{name}` has schema and example.",
			Request: `{"execution_id": "exec_…", "name": "sum-month", "description": "Sums a month"}`,
			Errors: []app.Code{app.CodeInvalidJSON, app.CodeUnknownField, app.CodeInvalidField, app.CodeUnauthorized,
				app.CodeInvalidSkill, app.CodeSkillNameTaken, app.CodeTooLarge, app.CodeUnsupportedMedia, app.CodeNotFound,
				app.CodeConflict, app.CodeProfileUnlocked, app.CodeProfileRevoked, app.CodeProfileExpired, app.CodeRateLimited,
				app.CodeQueueFull, app.CodeStorageBusy, app.CodeStorageFull},
		},
		{
			ID: "listSkills", Method: "GET", Path: "/skills", Auth: AuthBearer, Minor: true, Status: 200, Returns: "Skills",
			Summary: "List the skills that the profile may run, and those that its agent uploaded",
			Query:   []Field{{Name: "include", Type: "string", About: "schema: with input schema and an example"}},
			Errors: []app.Code{app.CodeUnauthorized, app.CodeInvalidField, app.CodeNotFound, app.CodeProfileRevoked,
				app.CodeProfileExpired, app.CodeQueueFull},
		},
		{
			ID: "readSkill", Method: "GET", Path: "/skills/{name}", Auth: AuthBearer, Minor: true, Status: 200,
			Summary: "Read a skill: its versions with input schema and an example", Returns: "Skills",
			Errors: []app.Code{app.CodeUnauthorized, app.CodeSkillNotFound, app.CodeNotFound, app.CodeRateLimited,
				app.CodeProfileRevoked, app.CodeProfileExpired, app.CodeQueueFull},
		},
		{
			ID: "downloadSkill", Method: "GET", Path: "/skills/{name}/bundle.zip", Auth: AuthBearer, Minor: true, Status: 200,
			Summary: "Read the files of a skill as a zip file; the newest version, or NAME@VERSION", Media: "application/zip",
			Errors: []app.Code{app.CodeUnauthorized, app.CodeSkillNotFound, app.CodeSkillNotApproved, app.CodeSkillRevoked,
				app.CodeSkillDisabled, app.CodeNotFound, app.CodeRateLimited,
				app.CodeProfileUnlocked, app.CodeProfileRevoked, app.CodeProfileExpired, app.CodeStorageFull},
		},
		{
			ID: "health", Method: "GET", Path: "/health", Auth: AuthNone, Status: 200,
			Summary: "Whether it is up and can run scripts", Returns: "Health",
			Detail:   "After a start `sandbox` may be `checking`: what you submit waits.",
			Response: `{"status": "ok", "sandbox": {"ready": true}, …}`,
		},
		{
			ID: "packages", Method: "GET", Path: "/packages", Auth: AuthNone, Status: 200, Returns: "Packages",
			Summary: "What scripts can import besides the standard library",
			Detail: "One of `runtimes` per sandbox backend and image, the default first. `packages` is null until one was " +
				"opened: ask again a few seconds later.",
		},
		{ID: "skill", Method: "GET", Path: "/skill.md", Auth: AuthOption, Minor: true, Status: 200, Media: "text/markdown",
			Summary: "This text; with a bearer, also that profile's keys and hosts"},
		{ID: "openapi", Method: "GET", Path: "/openapi.json", Auth: AuthNone, Minor: true, Status: 200,
			Media:   "application/json",
			Summary: "The API as OpenAPI 3.1"},
		{ID: "stubs", Method: "GET", Path: "/airlock.pyi", Auth: AuthNone, Minor: true, Status: 200, Media: "text/x-python",
			Summary: "Types of the script SDK"},
	}
}
