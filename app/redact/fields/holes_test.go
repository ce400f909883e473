package fields

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestHoleNamesOfSecrets: a name was public if it spoke of a certificate, whatever else it said; and
// "pass" counted only as a word of its own, and nothing with a number behind it.
func TestHoleNamesOfSecrets(t *testing.T) {
	t.Parallel()
	for want, names := range map[kind][]string{
		secretName: {"cert_password", "CERTIFICATE_PASSWORD", "ca_key_passphrase", "public_share_token", "DBPASS", "MYSQLPASS",
			"ADMINPW", "PASS1", "DB_PASSWORD2", "DB_PASSWORD_2", "pwd1", "LOGIN_CREDS", "apiKey2", "dbPassword", "OAUTH2_TOKEN"},
		keyName:    {"PHPSESSID", "JSESSIONID", "ASP.NET_SessionId", "session_id", "ca_key", "client-key-data", "certificateKey"},
		publicName: {"public_key", "ssh_public_key", "publicApiKey", "cert", "ca-certificates", "cert2", "key_fingerprint"},
		otherName: {"bypass", "encompass", "compass", "password_file", "token_type", "token_type2", "session_id_length",
			"user", "host1", "compassion", "passenger", "spinning", "2"},
	} {
		for _, name := range names {
			if got := kindOf(name); got != want {
				t.Errorf("%s is %d, not %d", name, got, want)
			}
		}
	}
}

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
		"TOML, list":            {"passwords = [\n  '" + sample + "',\n]\npin = 471147\n", []string{sample, "471147"}},
		"shell, $''":            {"export DB_PASSWORD=$'correct\\'horse'\nX=1", []string{"correct'horse"}},
		"shell, both quotes":    {"A=1\nDB_PASSWORD='correct'\"'\"'horse'\n", []string{"correct'horse"}},
		`shell, '\''`:           {"A=1\nDB_PASSWORD='correct'\\''horse'\n", []string{"correct'horse"}},
		`.env, \ before '`:      {"A=1\nDB_PASSWORD='correct\\'\nX='y'\n", []string{`correct\`}},
		"two URLs":              {"redis://:tr0ub4dor@a:6379,redis://:hunter2hunter@b:6379", []string{"tr0ub4dor", "hunter2hunter"}},
		"URL, fragment":         {"https://api.example/x#access_token=tr0ub4%2Bdor&v=1", []string{"tr0ub4%2Bdor", "tr0ub4+dor"}},
		".pgpass, escapes":      {`db.example:5432:main:app:tr0\:ub\\4dor`, []string{`tr0:ub\4dor`}},
		"XML":                   {"<c>\n <user>anna</user>\n <db.password>tr0ub&amp;4dor</db.password>\n</c>", []string{"tr0ub&4dor"}},
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

// TestHoleXML: of XML only elements without attributes and with nothing but text counted, and not what
// stands in sections, attributes, or beside a name.
func TestHoleXML(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ value, want string }{
		"section":             {"<c><password><![CDATA[tr0ub<4dor]]></password></c>", "tr0ub<4dor"},
		"comment inside":      {"<c><password>tr0ub<!-- x -->4dor9</password></c>", "tr0ub4dor9"},
		"commented out":       {"<c><!-- <password>tr0ub4dor9</password> --><a/></c>", "tr0ub4dor9"},
		"attribute":           {`<server password="tr0ub&quot;4dor9"/>`, `tr0ub"4dor9`},
		"attribute, ''":       {`<server user='anna' password='tr0ub&amp;4dor9'></server>`, "tr0ub&4dor9"},
		"attribute value":     {`<db><password value="tr0ub4dor9"/></db>`, "tr0ub4dor9"},
		"name beside":         {`<beans><property name="password">tr0ub4dor9</property></beans>`, "tr0ub4dor9"},
		"key beside":          {`<c><add key="password" value="tr0ub4dor9"/></c>`, "tr0ub4dor9"},
		"id beside":           {`<c><set id="password" val="tr0ub4dor9"/></c>`, "tr0ub4dor9"},
		"name and id":         {`<c><p id="7" name="password"><value>tr0ub4dor9</value></p></c>`, "tr0ub4dor9"},
		"HTML":                {`<meta id="x" name="api-token" content="tr0ub4dor9"/>`, "tr0ub4dor9"},
		"Spring":              {`<bean><property name="password"><value>tr0ub4dor9</value></property></bean>`, "tr0ub4dor9"},
		"Hadoop":              {"<c><property><name>user</name><value>a</value></property><property><name>db.password</name><value>tr0ub4dor9</value></property></c>", "tr0ub4dor9"},
		"Android":             {`<resources><string name="api_token">tr0ub4dor9</string></resources>`, "tr0ub4dor9"},
		"property list":       {"<plist><dict><key>user</key><string>anna</string><key>password</key><string>tr0ub4dor9</string></dict></plist>", "tr0ub4dor9"},
		"property list, deep": {"<dict><key>credentials</key><dict><key>user</key><string>anna</string><key>pin</key><string>tr0ub4dor9</string></dict></dict>", "tr0ub4dor9"},
		"XML-RPC":             {"<struct><member><name>password</name><value><string>tr0ub4dor9</string></value></member></struct>", "tr0ub4dor9"},
		"entry":               {"<map><entry><key>password</key><value>tr0ub4dor9</value></entry></map>", "tr0ub4dor9"},
		"connection string":   {`<add name="Db" connectionString="Server=db;Password=tr0ub&amp;4dor9;User=a"/>`, "tr0ub&4dor9"},
		"blanks":              {"<c><password >\n  tr0ub4dor9\n</password ></c>", "tr0ub4dor9"},
		"namespace, charset":  {"<?xml version='1.0' encoding='ISO-8859-1'?><a:c xmlns:a='x'><a:password>tr0ub4dor9</a:password></a:c>", "tr0ub4dor9"},
		"not well-formed":     {"<c>1 < 2<br><password>tr0ub4dor9</password></x>", "tr0ub4dor9"},
		"pieces":              {"<user>anna</user>\n<password>tr0ub4dor9</password>\n", "tr0ub4dor9"},
		"JSON in it":          {`<c><settings>{"password": "tr0ub4dor9"}</settings></c>`, "tr0ub4dor9"},
	} {
		p := Of(c.value)
		if got := texts(p); !slices.Contains(got, c.want) || p.One {
			t.Errorf("%s: %q, without %q", name, got, c.want)
		}
	}
	if p := Of(strings.Repeat("<a>", 2000) + "<password>tr0ub4dor9</password>"); !p.One {
		t.Error("what nests too deep is not one secret")
	}
	for _, value := range []string{"gravel<mango>battery", "<a>b</a>-Zt2Lm8", "a/>b9Zt2Lm8xxy"} {
		if p := Of(value); !p.One {
			t.Errorf("%s: %+v", value, p)
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

// TestHoleLenientReadings: an escape that one program doesn't know, or a percent sign that is none, made
// that the rest was not decoded.
func TestHoleLenientReadings(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`'k9Zq\'7xWm2Lp4vT'`:                                          "k9Zq'7xWm2Lp4vT",
		`"k9Zq\'7xWm2Lp4vT"`:                                          "k9Zq'7xWm2Lp4vT",
		`"k9Zq\$7xWm2Lp4vT"`:                                          "k9Zq$7xWm2Lp4vT",
		`"k9Zq\/7xWm2\x41Lp4vT"`:                                      "k9Zq/7xWm2ALp4vT",
		"`k9Zq\\`7xWm2Lp4vT`":                                         "k9Zq`7xWm2Lp4vT",
		`k9Zq\'7xWm2\u0026Lp4vT`:                                      "k9Zq'7xWm2&Lp4vT",
		`"k9Zq\ud83d\ude007xWm2Lp4vT"`:                                "k9Zq\U0001f6007xWm2Lp4vT",
		"k9%2FZq7x%Wm2Lp4vT":                                          "k9/Zq7x%Wm2Lp4vT",
		"k9%2FZq7xW+Lp4vT100%":                                        "k9/Zq7xW Lp4vT100%",
		"k9Zq&amp;7xWm2Lp4vT":                                         "k9Zq&7xWm2Lp4vT",
		`\x6b395a7137785776324c703476542d39`:                          "k9Zq7xWv2Lp4vT-9",
		"app:x9Km://Q2vT7pLw4":                                        "x9Km://Q2vT7pLw4",
		"postgres://app:pw1://x9KmQ2v@db/app":                         "pw1://x9KmQ2v",
		"Authorization: GenieKey x9KmQ2vT7pLw4abc":                    "x9KmQ2vT7pLw4abc",
		"ewogICJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0." + opaque:          opaque,
		`{"a":"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.` + opaque + `"}`: opaque,
	} {
		if got := texts(Of(value)); !slices.Contains(got, want) {
			t.Errorf("%s: %q, without %q", value, got, want)
		}
	}
}

// TestHoleManyFields: fields beyond the 200th counted as words, which nobody looks for in answers.
func TestHoleManyFields(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&b, "API_TOKEN_%d=x9KmQ2vT7pLw%05d\n", i, i)
	}
	if p := Of(b.String()); len(p.Fields) < 2000 || p.One {
		t.Errorf("%d of 2000 fields; one: %t", len(p.Fields), p.One)
	}
}

// TestHoleByteOrderMark: the first name of a file as some editors write it was no name.
func TestHoleByteOrderMark(t *testing.T) {
	parts := Of("\ufeffAPI_TOKEN=Xk9mQ2vLw7Zp4RtB\nUSER=u\n")
	if len(parts.Fields) != 1 || parts.Fields[0].Text != "Xk9mQ2vLw7Zp4RtB" {
		t.Errorf("got %+v", parts)
	}
}

// TestHoleNameWithinAWord: of a value that only looks as if a name and its field stood in it, every
// other part is as secret.
func TestHoleNameWithinAWord(t *testing.T) {
	for _, value := range []string{"crkp:bcvgb:wsad:ymvpw:ykitemu:agon", "x8Kq2mpw=Lw7Zp4RtB9", "9Zt2kpass:Lw7Zp4RtB9vK3"} {
		if !Of(value).One {
			t.Errorf("%s is taken apart: %+v", value, Of(value))
		}
	}
	for _, value := range []string{"Server=db.example;Uid=app;Pwd=Lw7Zp4RtB9", "redis://:Lw7Zp4RtB9@cache.example:6379"} {
		if Of(value).One {
			t.Errorf("%s counts as one", value)
		}
	}
}

// TestHolePaddedCredentials: the padding of base64 was taken for the sign behind the next name, so what
// stood before it was cut off.
func TestHolePaddedCredentials(t *testing.T) {
	const header, password = "dTpUcjB1YjRkb3ImMy9ob3JzZQ==", "Tr0ub4dor&3/horse"
	for _, value := range []string{"A=1\nAUTHORIZATION=Basic " + header + "\n", "GET / HTTP/1.1\nAuthorization: Basic " + header,
		"A=1\nAPI_TOKEN=Bearer " + header + "\nB=2\n", "AUTHORIZATION=Basic " + header, "A=1 AUTH_TOKEN=" + header + " B=2"} {
		fields := fieldsOf(value)
		if !slices.Contains(fields, header) || !slices.Contains(fields, password) {
			t.Errorf("%q has %q", value, fields)
		}
	}
	value := "[db]\nuser = app\npassword = gravel mango=battery stone\n"
	if fields := fieldsOf(value); !slices.Contains(fields, "gravel mango=battery stone") {
		t.Errorf("%q has %q", value, fields)
	}
}

// TestHoleBasicPasswords: one with a blank, or one that reads as names beside values, was not looked for.
func TestHoleBasicPasswords(t *testing.T) {
	for _, password := range []string{"q 9*,_9Z_:%\"~0=/&_&0_c\"0:\\?(?\"?+=Y?.*#'/Z1&$>c1+\\\\_Z", "two words, of which c=\"0:1\""} {
		credentials := base64.StdEncoding.EncodeToString([]byte("anna:" + password))
		for _, value := range []string{"Basic " + credentials, "A=1\nAUTHORIZATION=Basic " + credentials + "\n", credentials,
			strings.TrimRight(credentials, "="), "TOKEN=" + credentials, `{"auths":{"r.example":{"auth":"` + credentials + `"}}}`} {
			if fields := fieldsOf(value); !slices.Contains(fields, password) || slices.Contains(fields, "anna") {
				t.Errorf("%q has %q", value, fields)
			}
		}
	}
}

// TestHoleDoubledQuotes: a value that is all in quotes has its own quotes twice.
func TestHoleDoubledQuotes(t *testing.T) {
	for value, read := range map[string]string{`'it''s-secret-key-9x'`: "it's-secret-key-9x", `"it""s-secret-key-9x"`: `it"s-secret-key-9x`,
		`'it'"'"'s-secret-key-9x'`: "it's-secret-key-9x", `'it'\''s-secret-key-9x'`: "it's-secret-key-9x"} {
		if fields := fieldsOf(value); !slices.Contains(fields, read) {
			t.Errorf("%s has %q", value, fields)
		}
	}
}

func fieldsOf(value string) (texts []string) {
	for _, f := range Of(value).Fields {
		texts = append(texts, f.Text)
	}
	return texts
}
