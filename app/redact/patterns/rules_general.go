package patterns

// Parts that several expressions share.
const (
	// separator stands between a name and its value in JSON (also inside a string), YAML, shells,
	// programs, HTTP and XML.
	separator = `\\?["'\x60]?\]?(?:(?:[ \t]|:[ \t]?)[Ss]tr(?:ing)?)?[ \t]{0,8}(?::{1,3}=|[?+.]?=|=>|[:=>])[ \t]{0,8}`
	// quotedPassword and plainPassword are values; what follows a plain one must not make it a call
	// or an index.
	quotedPassword = `(?:[frbu]?\\?"([^"\\\s]{6,})|[frbu]?'([^'\s]{6,})'|\x60([^\x60\s]{6,})\x60)`
	plainPassword  = `([^\s"'\x60&;,()<>{}\[\]\\]{6,})(?:[\s"'\x60&;,<}\]\\]|\z)`
	quotedToken    = `(?:\x60([A-Za-z0-9_.~+/=@!%^*:-]{12,})\x60|[frbu]?\\?"([A-Za-z0-9_.~+/=@!%^*:-]{12,})` +
		`|[frbu]?'([A-Za-z0-9_.~+/=@!%^*:-]{12,})')`
	// what follows stands behind its name in a pair: ('password', 'value')
	pairedPassword = `\\?["'],[ \t]{0,4}(?:\\?"([^"\\\s]{6,})\\?"|'([^'\s]{6,})')[)\]]`
	pairedToken    = `\\?["'],[ \t]{0,4}(?:\\?"([A-Za-z0-9_.~+/=@!%^*:-]{12,})\\?"` +
		`|'([A-Za-z0-9_.~+/=@!%^*:-]{12,})')[)\]]`
	plainToken = `([A-Za-z0-9_.~+/=%-]{16,})(?:[\s"'\x60&;,<}\]\\]|\z)`
)

// generalRules find secrets by what stands around them.
func generalRules() []Rule {
	return []Rule{
		{
			Name:     "connection-string",
			About:    "the password in any URL: postgres://, mysql://, mongodb+srv://, redis://, amqp://, https:// and so on",
			Keywords: []string{"://"}, Inside: true, Reach: 4 << 10, Guard: urlPassword,
			Regexp: `://[^\s:/?#@"'<>\[\]]{0,}:([^\s/"'<>]{1,})@[^\s/@"'<>]`,
			Found: []string{"postgres://app:«⟨w12⟩»@db.internal:5432/main", "oracle://scott:«tiger7»@host:1521/svc",
				"mongodb+srv://u:«p%40ss⟨w6⟩»@c0.mongodb.net",
				"redis://:«⟨w16⟩»@cache:6379/0", "amqp://guest:«gu3st»@mq",
				"https://x-access-token:«⟨w30⟩»@example.org/a.git", "jdbc:mysql://root:«a@b9»@db/x"},
			Ignored: []string{"http://localhost:8080/@me", "postgres://user:password@host/db",
				"https://example.com:443/a", "postgres://u:${DB_PASSWORD}@h", "postgres://u:****@h",
				"postgres://u:[REDACTED...abcd]@h", "ftp://anonymous@host", "https://host:8443/path?mail=a@b.c"},
		},
		{
			Name: "oracle-jdbc", About: "the password in Oracle's JDBC URLs",
			Keywords: []string{"jdbc:oracle:"}, Regexp: `jdbc:oracle:(?:thin|oci8?):[^\s/@"']{1,}/([^\s@"']{3,})@`,
			Guard:   urlPassword,
			Found:   []string{"jdbc:oracle:thin:scott/«⟨w10⟩»@//db:1521/svc"},
			Ignored: []string{"jdbc:oracle:thin:@//db:1521/svc"},
		},
		{
			Name: "authorization", About: "the credential in Authorization and Proxy-Authorization headers",
			Keywords: []string{"authorization"}, Fold: true, Inside: true, Reach: 4 << 10, Guard: headerValue,
			Regexp: `authorization\\?["']?\]?[ \t]{0,4}[:=,][ \t]{0,4}[frb]?\\?["']?(?:(?:bearer|basic|token|bot` +
				`|apikey|api-key|key|negotiate|ntlm|digest|oauth|hawk|aws4-hmac-sha256)[ \t]+)?([^\s"'\\,;<>(){}\[\]]{8,})`,
			Found: []string{"Authorization: Bearer «⟨w40⟩»", `"authorization": "Basic «⟨w30⟩=»"`,
				"-H 'Authorization: token «⟨w40⟩»'", "proxy-authorization: Basic «⟨w24⟩»",
				"('Authorization', 'Bearer «⟨s60⟩»')", "Authorization: «⟨w32⟩»",
				`{\"Authorization\":\"Bearer «⟨w30⟩»\"}`},
			Ignored: []string{"Authorization: Bearer [SEALED:API]", "Authorization: Bearer <token>",
				`"Authorization": f"Bearer {token}"`, "authorization: required for all calls",
				`headers["Authorization"] = "Bearer " + key`, "Authorization: Bearer $TOKEN",
				"Authorization failed: insufficient privileges"},
		},
		{
			Name: "bearer", About: "bearer tokens outside of their header",
			Keywords: []string{"bearer "}, Fold: true, Reach: 4 << 10, Regexp: `bearer[ \t]+([A-Za-z0-9._~+/-]{16,}=*)`,
			Guard:   opaque,
			Found:   []string{"sent Bearer «⟨w40⟩» to the host"},
			Ignored: []string{"bearer authentication-is-required", "Bearer of bad news", "bearer [REDACTED]"},
		},
		{
			Name: "basic", About: "Basic credentials outside of their header",
			Keywords: []string{"basic "}, Fold: true, Regexp: `basic[ \t]+([A-Za-z0-9+/]{8,}={0,2})`, Guard: basic,
			Found:   []string{"Basic «dXNlcjpwYXNzd29yZDE=»", "basic «YWRtaW46aHVudGVyMg==»"},
			Ignored: []string{"basic information about", "Basic documentation", "BASIC ⟨a12⟩"},
		},
		{
			Name: "set-cookie", About: "values of Set-Cookie headers",
			Keywords: []string{"set-cookie"}, Fold: true, Inside: true, Reach: 4 << 10, Guard: cookie,
			Regexp:  `set-cookie\\?["']?[ \t]{0,4}[:=][ \t]{0,4}\\?["']?[A-Za-z0-9_.$-]{1,}=([^\s"'\\;,<>]{12,})`,
			Found:   []string{"Set-Cookie: sid=«⟨s32⟩»; Path=/; HttpOnly", `"set-cookie": "session=«⟨s40⟩»; Secure"`},
			Ignored: []string{"Set-Cookie: sid=; Max-Age=0", "set-cookie: theme=dark"},
		},
		{
			Name: "cookie", About: "values of Cookie headers",
			Keywords: []string{"cookie:", "cookie\":", "cookie':", "cookie\\\":", "cookie="}, Fold: true, Inside: true,
			Reach: 4 << 10, Guard: cookie,
			Regexp: `cookie\\?["']?[ \t]{0,4}[:=][ \t]{0,4}\\?["']?(?:[A-Za-z0-9_.$-]{1,}=([^\s"'\\;,<>]+(?:; [A-Za-` +
				`z0-9_.$-]{1,}=[^\s"'\\;,<>]+)*))`,
			Found:   []string{"Cookie: a=«⟨w16⟩; b=⟨w8⟩»", `-H 'cookie: _ga=«1; session=⟨s32⟩»'`},
			Ignored: []string{"Cookie: theme=dark", "cookie: accept", "cookie=None"},
		},
		{
			Name: "netrc", About: "passwords in .netrc lines and pgpass-like logins",
			Keywords: []string{"machine "}, Lines: true,
			Regexp:  `machine[ \t]+[^\s]{1,}\s+login[ \t]+[^\s]{1,}\s+password[ \t]+([^\s]{3,})`,
			Found:   []string{"machine api.example.org login me password «⟨w9⟩»"},
			Ignored: []string{"the machine was not reachable, login with your password later"},
		},
		{
			Name: "curl-user", About: "passwords in curl's -u",
			Keywords: []string{"curl "}, Reach: 200,
			Regexp: `curl [^\n|;]*?(?:-u|--user|--proxy-user)[ =]?["']?[^\s:"'$]{1,}:([^\s"']{4,})`, Guard: urlPassword,
			Found: []string{"curl -sS -u admin:«⟨w10⟩» https://h/x", `curl https://h --user "me:«s3cr3t!»"`},
			Ignored: []string{"curl -u user:password https://h", "curl -u $USER:$PASS https://h",
				"curl --user-agent x https://h:443"},
		},
		{
			Name:     "password",
			About:    "what is assigned to a password, in programs, logs, JSON, YAML, XML, shells and connection strings",
			Keywords: []string{"password", "passwd", "passphrase", "passcode", "pwd"}, Fold: true, Inside: true,
			Reach: 4 << 10, Guard: password,
			Regexp: `(?:password|passwd|passphrase|passcode|pwd)(?:` + separator + `(?:` + quotedPassword + `|` +
				plainPassword + `)|` + pairedPassword + `)`,
			Found: []string{`password = "«Sw0rdfish»"`, "DB_PASSWORD=«⟨w12⟩»", `{"password": "«hunter2»"}`,
				"password: «⟨w9⟩!»\n", "<password>«⟨w10⟩»</password>", "Server=h;Uid=u;Pwd=«⟨w10⟩»;",
				"?user=a&password=«⟨w12⟩»&x=1", `{\"password\":\"«⟨w12⟩»\"}`, "config['password'] = '«⟨w8⟩»'",
				"PGPASSWORD=«⟨w10⟩» psql", "('password', '«⟨w8⟩»')", `["DB_PASSWORD", "«⟨w10⟩»"]`},
			Ignored: []string{"password=****", "password: <password>", "password=${PASSWORD}", "password=None",
				`password = os.environ["PASSWORD"]`, `password = settings.get("DB_PASSWORD")`,
				"password: required", "password=self.password2", "Password: ", `type="password" name="p"`,
				"pwd=/home/someone2/src", "password=getPassword2()", "password: str, user: str",
				`"password": "string"`, "password = [REDACTED...abcd]", "password reset at 12:30", "PWD=/usr/lib2",
				`input("Password: ")`, "password=$PASSWORD", `["password", "user_2"]`, `("password", "Email1", "x")`},
		},
		{
			Name: "secret", About: "what is assigned to a secret, token or key and was made at random",
			Keywords: []string{"secret", "token", "apikey", "api_key", "api-key", "access_key", "access-key",
				"accesskey", "auth_key", "authkey", "private_key", "signing_key", "encryption_key", "master_key",
				"license_key", "credential"},
			Fold: true, Inside: true, Guard: token,
			Regexp: `(?:secret|token|api[_-]?key|access[_-]?key|auth_?key|(?:private|signing|encryption|master` +
				`|license)_key|credentials?)(?:[_-]?(?:key|value|string|hash))?(?:` + separator + `(?:` + quotedToken + `|` +
				plainToken + `)|` + pairedToken + `)`,
			Found: []string{"api_key=«⟨w32⟩»", `"client_secret": "«⟨s40⟩»"`, "X-API-Key: «⟨w32⟩»",
				"SECRET_KEY = '«⟨w50⟩»'", "https://h/x?access_token=«⟨w32⟩»&q=1", "token: «⟨h40⟩»\n",
				"<ApiKey>«⟨w24⟩»</ApiKey>", "ENCRYPTION_KEY=«⟨b43⟩=»", `{\"token\":\"«⟨w32⟩»\"}`, "('api_key', '«⟨w32⟩»')"},
			Ignored: []string{`api_key = settings.get("API_KEY")`, "token_count=123456789012345678",
				"tokens: 1234567890123456", `next_page_token": "⟨w32⟩"`, "nextToken=⟨w32⟩", "secret: ***",
				"api_key=<your api key>", "token=response.json()", "secret_name=my-secret-2",
				"token = get_token_v2_from_somewhere", `"token": "access_token_v1"`, "API_KEY=${API_KEY_2}",
				"credentials: /run/secrets/db_credentials_2", "token: https://example.com/oauth2/token",
				"secret=projects_2_secrets_3", "token='[REDACTED...9f2c]'"},
		},
		{
			Name: "flag", About: "passwords and tokens in command lines",
			Keywords: []string{"--password", "--passwd", "--token", "--api-key", "--apikey", "--secret",
				"--access-token", "--auth-token", "--client-secret"}, Guard: flagValue,
			Regexp: `--(?:password|passwd|token|api-?key|secret|access-token|auth-token` +
				`|client-secret)[ =]["']?([^\s"'$<\[({][^\s"']{5,})`,
			Found:   []string{"mysqldump --password=«⟨w10⟩» db", `login --token "«⟨w20⟩»"`},
			Ignored: []string{"--password-file /x", "--token $TOKEN", "--password <password>", "--token and --secret"},
		},
	}
}
