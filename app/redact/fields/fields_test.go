package fields

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	sample = "Tr0ub4dor-9x"
	opaque = "k3V8x1q7W5z2M9n4B6c0"
	body   = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4qN3fQ2Xk0lJp1a8b7c6d5e4f3g2"
)

func pem(label string) string {
	return "-----BEGIN " + label + "-----\n" + body + "\n-----END " + label + "-----"
}

func texts(p Parts) (list []string) {
	for _, f := range p.Fields {
		list = append(list, f.Text)
	}
	return list
}

// TestFields: what is secret in a value counts, whatever the format, and nothing else does.
func TestFields(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		value string
		want  []string
	}{
		"URL": {"postgresql://app:" + sample + "@db:5432/main", []string{sample}},
		"URL, percent-encoded": {"postgresql://app:p%40ss%2Fword9@db/x", []string{"p%40ss%2Fword9", "p@ss/word9",
			"postgresql://app:p@ss/word9@db/x"}},
		"URL, signs as they are":  {"postgresql://app:p@ss/w9rd@db/x", []string{"p@ss/w9rd"}},
		"URL, password only":      {"redis://:" + sample + "@cache:6379/0", []string{sample}},
		"URL, token as user":      {"https://" + opaque + "@github.com/a/b.git", []string{opaque}},
		"URL, query":              {"https://h.example/x?user=anna&token=" + sample + "&page=2#top", []string{sample}},
		"URL, user is password":   {"postgres://postgres:postgres@localhost/postgres", nil},
		"SQLAlchemy URL":          {"mysql+pymysql://root:" + sample + "@127.0.0.1/shop?charset=utf8mb4", []string{sample}},
		"JDBC":                    {"jdbc:mysql://db:3306/shop?user=anna&password=" + sample, []string{sample}},
		"libpq":                   {"host=db port=5432 user=app password=" + sample + " sslmode=require", []string{sample}},
		"libpq, quotes":           {"host=db user=app password='two words 9' dbname=x", []string{"two words 9"}},
		"ADO":                     {"Server=tcp:h,1433;User Id=app;Password=" + sample + ";Encrypt=True;", []string{sample}},
		"Go MySQL":                {"app:" + sample + "@tcp(db:3306)/shop", []string{sample + "@tcp(db:3306)/shop", sample}},
		"Oracle":                  {"scott/" + sample + "@db:1521/svc", []string{sample}},
		"user:password":           {"anna:" + sample, []string{sample}},
		"mail:password":           {"anna@example.com:" + sample, []string{sample}},
		".pgpass":                 {"db.example:5432:main:app:" + sample, []string{sample}},
		"several logins":          {"anna:" + sample + "\nbob:hunter2\n", []string{sample, "hunter2"}},
		"Oracle's JDBC":           {"jdbc:oracle:thin:scott/" + sample + "@//db:1521/svc", []string{sample}},
		"host:port":               {"db.example.com:5432", nil},
		"Bearer":                  {"Bearer " + opaque, []string{opaque}},
		"Basic":                   {"Basic " + base64.StdEncoding.EncodeToString([]byte("anna:"+sample)), []string{base64.StdEncoding.EncodeToString([]byte("anna:" + sample)), "anna:" + sample, sample}},
		".env":                    {"REGION=eu-west-1\nDB_PASSWORD=" + sample + "\n# PASSWORD=none\nexport API_TOKEN='" + opaque + "'\n", []string{sample, opaque}},
		".env, several words":     {"SMTP_PASSWORD=correct horse battery\nSMTP_HOST=mail", []string{"correct horse battery"}},
		"one line of .env":        {"PASSWORD=" + sample, []string{sample}},
		"INI":                     {"[database]\nuser = app\npassword = " + sample + "\nport = 5432\n", []string{sample}},
		"properties":              {"spring.datasource.username=app\nspring.datasource.password=" + sample, []string{sample}},
		"TOML":                    {"[db]\npassword = \"" + sample + "\"\nport = 1\n", []string{sample}},
		"YAML":                    {"apiVersion: v1\nusers:\n- name: prod\n  user:\n    token: " + sample + "\n", []string{sample}},
		"YAML, flow":              {"db: {user: app, password: " + sample + ", port: 1}\n", []string{sample}},
		"YAML, block":             {"tls.key: |\n  " + strings.ReplaceAll(pem("PRIVATE KEY"), "\n", "\n  ") + "\nname: x\n", nil},
		"YAML, pairs":             {"env:\n- name: DB_PASSWORD\n  value: " + sample + "\n- name: REGION\n  value: eu-west-1\n", []string{sample}},
		"netrc":                   {"machine h.example\nlogin anna\npassword " + sample + "\n", []string{sample}},
		"npmrc":                   {"//registry.example/:_authToken=" + opaque + "\nregistry=https://registry.example/\n", []string{opaque}},
		"headers":                 {"Accept: text/html\nAuthorization: Bearer " + opaque + "\nX-Api-Key: " + sample + "\n", []string{opaque, sample}},
		"JSON":                    {`{"user": "anna", "password": "` + sample + `", "port": 5432, "tls": true}`, []string{sample}},
		"JSON, pairs":             {`[{"name": "DB_PASSWORD", "value": "` + sample + `"}, {"name": "REGION", "value": "eu-west-1"}]`, []string{sample}},
		"JSON, lists":             {`{"tokens": ["` + sample + `"], "secrets": {"db": "hunter2"}}`, []string{"hunter2", sample}},
		"JSON, numbers":           {`{"pin": 471147, "id": 12345678}`, []string{"471147"}},
		"JSON in .env":            {"CONFIG='{\"db\": {\"password\": \"" + sample + "\"}}'\nREGION=eu\n", []string{sample}},
		"URL in JSON":             {`{"database_url": "postgres://app:` + sample + `@db/x"}`, []string{sample}},
		"stand-ins":               {"PASSWORD=${DB_PASSWORD}\nTOKEN=<token>\nSECRET=****\nUSE_TOKEN=true\n", nil},
		"what is told of secrets": {"TOKEN_TYPE=bearer\nPASSWORD_FILE=/run/secrets/db\nsecret_name=my-secret-2\nsort_key: name\n", nil},
		"certificates":            {pem("CERTIFICATE"), nil},
		"public values":           {"certificate-authority-data: " + base64.StdEncoding.EncodeToString([]byte(pem("CERTIFICATE"))) + "\ncluster: prod\n", nil},
	} {
		got := texts(Of(c.value))
		slices.Sort(got)
		want := slices.Sorted(slices.Values(c.want))
		if name == "YAML, block" {
			want = []string{pem("PRIVATE KEY")}
			got = slices.DeleteFunc(got, func(s string) bool { return strings.Contains(s, "\n  ") }) // as it is
		}
		if !slices.Equal(slices.Compact(got), want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// TestWords: the lines of a key count, and what looks random; certificates and ordinary lines don't.
func TestWords(t *testing.T) {
	t.Parallel()
	lines := strings.Split(body, "\n")
	for name, c := range map[string]struct {
		value string
		want  []string
	}{
		"a key":                  {pem("RSA PRIVATE KEY"), lines},
		"a key in one line":      {strings.ReplaceAll(pem("PRIVATE KEY"), "\n", `\n`), lines},
		"a key without its end":  {strings.TrimSuffix(pem("PRIVATE KEY"), "-----END PRIVATE KEY-----"), lines},
		"a certificate":          {pem("CERTIFICATE"), nil},
		"a key behind one":       {pem("CERTIFICATE") + "\n" + strings.ReplaceAll(pem("PRIVATE KEY"), "MII", "MIJ"), []string{strings.Replace(lines[0], "MII", "MIJ", 1), lines[1]}},
		"lines without names":    {"abcd-1234-efgh\nijkl-5678-mnop\n", []string{"abcd-1234-efgh", "ijkl-5678-mnop"}},
		"names that say nothing": {"apiVersion: v1\nkind: Config\nx: " + opaque + "\n", []string{opaque}},
		"a webhook":              {"https://hooks.example.com/services/T0/" + opaque, []string{opaque}},
	} {
		if got := Of(c.value).Words; !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestOneValueHasNoParts: a password or token is taken as it is, whatever signs it has.
func TestOneValueHasNoParts(t *testing.T) {
	t.Parallel()
	for _, value := range []string{sample, opaque, "x=y", "aB3==", "p@ss/w0rd:", "correct horse battery", "12345678",
		"$2y$10$abcdefghijklmnopqrstuv", "a{b}c[d]", "{not json"} {
		if p := Of(value); !p.One || p.Fields != nil || p.Words != nil {
			t.Errorf("%s: %+v", value, p)
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

// TestHoleBasicPasswords: one with a blank, or one that reads as names beside values, was not looked for.
func TestHoleBasicPasswords(t *testing.T) {
	for _, password := range []string{"q 9*,_9Z_:%\"~0=/&_&0_c\"0:\\?(?\"?+=Y?.*#'/Z1&$>c1+\\\\_Z", "two words, of which c=\"0:1\""} {
		credentials := base64.StdEncoding.EncodeToString([]byte("anna:" + password))
		for _, value := range []string{"Basic " + credentials, "A=1\nAUTHORIZATION=Basic " + credentials + "\n", credentials,
			strings.TrimRight(credentials, "="), "TOKEN=" + credentials, `{"auths":{"r.example":{"auth":"` + credentials + `"}}}`} {
			if fields := texts(Of(value)); !slices.Contains(fields, password) || slices.Contains(fields, "anna") {
				t.Errorf("%q has %q", value, fields)
			}
		}
	}
}

// TestLongValuesAreRead: a value of the largest size takes no longer than a person notices.
func TestLongValuesAreRead(t *testing.T) {
	for _, unit := range []string{"a=b ", "aaaa=b;", "a:b,", "x: |\n ", "{", "-----BEGIN A KEY-----", "u:p@", "://u:p@h", "\"a\": '",
		"- ", "a: [", "[a: ", "a='''\n", "a = {", "&a [*a]\n", "a: &a x\nb: *a\n", "? ", "x = '", "x = \"\\", "k\\\n", "pw=a\\\n", "pw=a\n b\n",
		"a.b.c=1\n", "p: \"\n", "--- a\n", "a: |\n  x: |\n"} {
		start := cpu()
		Of(strings.Repeat(unit, (64<<10)/len(unit)))
		if took := cpu() - start; took > 2*time.Second {
			t.Errorf("%q takes %v", unit, took)
		}
	}
}

// cpu is the processor time of this process.
func cpu() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// FuzzOf: no value takes forever or makes it panic, and every field is in the value, or decoded.
func FuzzOf(f *testing.F) {
	f.Add("a: b\n  c: |\n   d")
	f.Add("x='")
	f.Add(`{"a": {"value": [1, "x"]}}`)
	f.Add("-----BEGIN PRIVATE KEY-----")
	f.Add("u:p@h")
	f.Fuzz(func(t *testing.T, value string) {
		p := Of(value)
		if len(value) < minField && p.Fields != nil {
			t.Errorf("%d fields in %d bytes", len(p.Fields), len(value))
		}
	})
}
