package fields

import (
	"slices"
	"strings"
	"testing"
)

// TestHoleQuotesByFormat: the secret of a value is what the programs of its format take it for.
func TestHoleQuotesByFormat(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		value string
		want  []string // among the fields
	}{
		"YAML, '' in quotes":    {"user: anna\npassword: 'it''s-a-secret9'\nhost: db\n", []string{"it's-a-secret9"}},
		`YAML, \x`:              {"users:\n  - name: anna\n    password: \"correct\\x20horse\"\n", []string{"correct horse"}},
		`YAML, \u`:              {"user: anna\npassword: \"p\\u00e4ssword-9x\"\n", []string{"pässword-9x"}},
		"YAML, list":            {"passwords:\n  - " + sample + "\n  - hunter2hunter\n", []string{sample, "hunter2hunter"}},
		"YAML, list in a list":  {"db:\n- passwords: [" + sample + ", 'a, b-9x']\n", []string{sample, "a, b-9x"}},
		"YAML, lines folded":    {"password: >-\n  correct horse\n  battery9 staple\nuser: x\n", []string{"correct horse battery9 staple"}},
		"YAML, lines kept":      {"user: anna\npassword: |\n  first\n  second9line\n", []string{"first\nsecond9line"}},
		"YAML, plain lines":     {"password: correct horse9\n  battery staple\nhost: db\n", []string{"correct horse9 battery staple"}},
		"YAML, list of maps":    {"- password: 'it''s-a-secret9'\n  user: anna\n", []string{"it's-a-secret9"}},
		"YAML, anchor":          {"p: &pw " + sample + "\npassword: *pw\nuser: x\n", []string{sample}},
		"YAML, tag":             {"user: x\npassword: !!str 1234567890\n", []string{"1234567890"}},
		"YAML, binary":          {"user: x\npassword: !!binary VHIwdWI0ZG9yLTl4\n", []string{sample}},
		"YAML, two documents":   {"user: x\n---\npasswords:\n- " + sample + "\n", []string{sample}},
		"JSON with a comma":     {`{"user":"a","password":"Tr0ub4\u0064or-9x",}`, []string{sample}},
		"JSON, Name and Value":  {`[{"Name": "DB_PASSWORD", "Value": "` + sample + `"}]`, []string{sample}},
		"JSON, list of pairs":   {`[["password", "` + sample + `"], ["user", "anna"]]`, []string{sample}},
		"JSON, map of tokens":   {`{"tokens": {"prod": "` + sample + `"}}`, []string{sample}},
		`libpq, \'`:             {`host=db user=app password='cor\'rect horse' dbname=x`, []string{"cor'rect horse"}},
		"ODBC, braces":          {"Driver=x;Server=db;UID=a;PWD={tr0ub;4dor}", []string{"tr0ub;4dor"}},
		"ODBC, brace in braces": {"Driver=x;PWD={tr0ub}};4dor};Server=db", []string{"tr0ub};4dor"}},
		"JDBC, braces":          {"jdbc:sqlserver://db:1433;user=a;password={tr0ub;4dor};encrypt=true", []string{"tr0ub;4dor"}},
		"ADO, quotes":           {`Server=db;User Id=a;Password="tr0ub""4;dor";Database=x`, []string{`tr0ub"4;dor`}},
		"TOML, '''":             {"user = 'x'\npassword = '''" + sample + "'''\n", []string{sample}},
		`TOML, """`:             {"user = 'x'\npassword = \"\"\"tr0ub4\ndor-3x\"\"\"\n", []string{"tr0ub4\ndor-3x"}},
		"shell, $''":            {"export DB_PASSWORD=$'correct\\'horse'\nX=1", []string{"correct'horse"}},
		"shell, both quotes":    {"A=1\nDB_PASSWORD='correct'\"'\"'horse'\n", []string{"correct'horse"}},
		`shell, '\''`:           {"A=1\nDB_PASSWORD='correct'\\''horse'\n", []string{"correct'horse"}},
		`.env, \ before '`:      {"A=1\nDB_PASSWORD='correct\\'\nX='y'\n", []string{`correct\`}},
		"two URLs":              {"redis://:tr0ub4dor@a:6379,redis://:hunter2hunter@b:6379", []string{"tr0ub4dor", "hunter2hunter"}},
		"URL, fragment":         {"https://api.example/x#access_token=tr0ub4%2Bdor&v=1", []string{"tr0ub4%2Bdor", "tr0ub4+dor"}},
		".pgpass, escapes":      {`db.example:5432:main:app:tr0\:ub\\4dor`, []string{`tr0:ub\4dor`}},
	} {
		got := texts(Of(c.value))
		for _, want := range c.want {
			if !slices.Contains(got, want) {
				t.Errorf("%s: %q, without %q", name, got, want)
			}
		}
	}
}

// TestHoleQuotesLeaveWords: the beginning of a quoted value up to a quote in it is no field, which
// would mask an ordinary word everywhere.
func TestHoleQuotesLeaveWords(t *testing.T) {
	t.Parallel()
	for value, word := range map[string]string{
		"user: anna\npassword: 'horse''s-a-secret9'\n":    "horse",
		`host=db password='horse\'s-tr0ub' user=a`:        "horse",
		"Driver=x;UID=a;PWD={horse;4dor}":                 "{horse",
		`Server=db;Password="horse""4;dor";Database=x`:    "horse",
		"A=1\nDB_PASSWORD='horse'\"'\"'tr0ub4dor'\n":      "horse",
		"gravel:mango:battery:staple:horse":               "horse",
		"redis://:tr0ub4dor@a:6379,redis://:x9x9x@b:6379": "tr0ub4dor@a:6379,redis://:x9x9x",
	} {
		if got := texts(Of(value)); len(got) == 0 || slices.Contains(got, word) {
			t.Errorf("%s: %q", value, got)
		}
	}
}

// TestHoleUnclosedQuotes: a value with quotes that nothing closes is read to the end of what may be
// read, and then as one secret.
func TestHoleUnclosedQuotes(t *testing.T) {
	for name, value := range map[string]string{
		"settings": strings.Repeat("note='s not a full description of what this thing is\n", 60) + "DB_PASSWORD=k9Zq7xWm2pLv4tRb\n",
		"numbers":  strings.Repeat("SIZE=\"24\n", 88),
		"yaml":     strings.Repeat("- name: 's-Hertogenbosch\n  zip: \"5211\"\n", 51),
	} {
		for n := range 40 { // where the budget ends differs
			if parts := Of(value + strings.Repeat("x", n)); !parts.One {
				t.Errorf("%s: not all of it was read, and it isn't one secret", name)
				break
			}
		}
	}
}

// TestHolePasswordsOfOddURLs: the password of a URL counts without a host, behind a user with an @ or a
// slash, and with quotes in it.
func TestHolePasswordsOfOddURLs(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"postgresql+psycopg2://app:tr0ub4dor9@/app?host=/cloudsql/a:b:c": "tr0ub4dor9",
		"postgres://app:tr0ub'4dor9@db.example/app":                      "tr0ub'4dor9",
		"mysql://anna@server:tr0ub4dor9@db.example/app":                  "tr0ub4dor9",
		"oracle://dom/anna:tr0ub4dor9@db.example/app":                    "tr0ub4dor9",
	} {
		if got := texts(Of(value)); !slices.Contains(got, want) {
			t.Errorf("%s: %q, without %q", value, got, want)
		}
	}
	for _, value := range []string{"http://api.example.com:8080/people", "https://a.example/x"} {
		if got := texts(Of(value)); len(got) > 0 {
			t.Errorf("%s: %q", value, got)
		}
	}
}

// TestHoleSettings: what files of settings write for a sign, and what one program takes for a comment or
// another line and the next for the value, counted as it stands there.
func TestHoleSettings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ value, want string }{
		"INI, #":               {"[db]\npassword = tr0ub #4dor9\nuser = a\n", "tr0ub #4dor9"},
		"INI, # as comment":    {"[db]\npassword = tr0ub4dor9 # of the test database\nuser = a\n", "tr0ub4dor9"},
		"INI, ; as comment":    {"[db]\npassword = tr0ub4dor9 ; of the test database\nuser = a\n", "tr0ub4dor9"},
		"INI, %%":              {"[db]\npassword = tr0ub%%4dor9\nuser = a\n", "tr0ub%4dor9"},
		"INI, two lines":       {"[db]\npassword = tr0ub4\n  dor9x\nuser = a\n", "tr0ub4\ndor9x"},
		"Compose, $$":          {"A=1\nDB_PASSWORD=tr0ub$$4dor9\n", "tr0ub$4dor9"},
		".env, \\`":            {"A=1\nDB_PASSWORD=\"tr0ub\\`4dor9\"\n", "tr0ub`4dor9"},
		".env, \\$":            {"A=1\nDB_PASSWORD=\"tr0ub\\$4dor9\"\n", "tr0ub$4dor9"},
		".env, \\$, no quotes": {"A=1\nDB_PASSWORD=tr0ub\\$4dor9\n", "tr0ub$4dor9"},
		".env, \\d and \\$":    {"A=1\nDB_PASSWORD=\"tr\\d0ub\\$4dor9\"\n", `tr\d0ub$4dor9`},
		"properties, \\:":      {"db.user=a\ndb.password=tr0ub\\:4dor9\n", "tr0ub:4dor9"},
		"properties, lines":    {"db.password=tr0ub4\\\n    dor9x\ndb.user=a\n", "tr0ub4dor9x"},
		"libpq, blank":         {`user=app password=tr0ub\ 4dor9 host=db`, "tr0ub 4dor9"},
		"netrc, no login":      {"machine db.example password tr0ub4dor9 login anna", "tr0ub4dor9"},
		"PowerShell":           {"$env:DB_PASSWORD = \"tr0ub`\"4dor9\"\n$x = 1\n", `tr0ub"4dor9`},
		"PHP, variable":        {"$password = 'tr0ub4dor9';\n$x = 1;\n", "tr0ub4dor9"},
		"quotes around both":   {`docker run -e "DB_PASSWORD=tr0ub 4dor9" -e "A=b" image`, "tr0ub 4dor9"},
		"a header of curl":     {`curl -H "Authorization: GenieKey x9KmQ2vT7pLw4abc" https://x/`, "x9KmQ2vT7pLw4abc"},
		"Kubernetes":           {"data:\n  DATABASE_URL: cG9zdGdyZXM6Ly9hcHA6dHIwdWI0ZG9yOUBkYi94\n", "tr0ub4dor9"},
	} {
		if got := texts(Of(c.value)); !slices.Contains(got, c.want) {
			t.Errorf("%s: %q, without %q", name, got, c.want)
		}
	}
	if got := texts(Of("[db]\npassword = tr0ub4dor9 # of the test database\nuser = a\n")); len(got) != 1 {
		t.Errorf("a comment is a field: %q", got)
	}
}

// TestHolePaddedCredentials: the padding of base64 was taken for the sign behind the next name, so what
// stood before it was cut off.
func TestHolePaddedCredentials(t *testing.T) {
	const header, password = "dTpUcjB1YjRkb3ImMy9ob3JzZQ==", "Tr0ub4dor&3/horse"
	for _, value := range []string{"A=1\nAUTHORIZATION=Basic " + header + "\n", "GET / HTTP/1.1\nAuthorization: Basic " + header,
		"A=1\nAPI_TOKEN=Bearer " + header + "\nB=2\n", "AUTHORIZATION=Basic " + header, "A=1 AUTH_TOKEN=" + header + " B=2"} {
		fields := texts(Of(value))
		if !slices.Contains(fields, header) || !slices.Contains(fields, password) {
			t.Errorf("%q has %q", value, fields)
		}
	}
	value := "[db]\nuser = app\npassword = gravel mango=battery stone\n"
	if fields := texts(Of(value)); !slices.Contains(fields, "gravel mango=battery stone") {
		t.Errorf("%q has %q", value, fields)
	}
}
