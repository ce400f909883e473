package patterns

import (
	"strings"
	"testing"
)

// The contexts in which gitleaks (github.com/gitleaks/gitleaks, cmd/generate/config, MIT) tries
// each of its rules, in our own words: NAME is assigned VALUE. What gitleaks lists as not yet found
// (values beside the word in comments and tables) is not found here either.
func contexts() map[string]string {
	return map[string]string{
		"INI":                 "acme_NAME=VALUE\n",
		"INI, spaces":         "acme_NAME = VALUE\n",
		"INI, quoted":         `acme_NAME = "VALUE"`,
		"JSON":                "{\n  \"acme_NAME\": \"VALUE\"\n}",
		"JSON in a string":    `"{\"acme_NAME\": \"VALUE\"}"`,
		"XML":                 "<acmeNAME>VALUE</acmeNAME>",
		"YAML":                "acme_NAME: VALUE\n",
		"YAML, single quotes": "acme_NAME: 'VALUE'\n",
		"YAML, double quotes": "acme_NAME: \"VALUE\"\n",
		"C#":                  `string acmeNAME = "VALUE";`,
		"Go, long":            `var acmeNAME string = "VALUE"`,
		"Go, short":           `acmeNAME := "VALUE"`,
		"Go, raw":             "acmeNAME := `VALUE`",
		"Kotlin, typed":       `val acmeNAME: String = "VALUE"`,
		"Python, typed":       `acme_NAME: str = 'VALUE'`,
		"Python, dictionary":  `config["acme_NAME"] = "VALUE"`,
		"Python, repr":        `{'acme_NAME': 'VALUE', 'b': 1}`,
		"PHP":                 `$acmeNAME .= "VALUE"`,
		"Ruby":                `"acme_NAME" => "VALUE"`,
		"make":                "ACME_NAME ?= VALUE",
		"make, shell":         "ACME_NAME :::= VALUE",
		"make, append":        "ACME_NAME += VALUE",
		"shell":               "export ACME_NAME=VALUE; run",
		"shell, quoted":       "ACME_NAME='VALUE' run",
		"query":               "https://h.example/p?x=1&acme_NAME=VALUE&y=2",
		"form":                "grant=x&acme_NAME=VALUE",
		"header":              "X-Acme-NAME: VALUE\r\n",
		"log":                 `level=info msg="x" acme_NAME=VALUE took=3`,
		"map":                 "{user=a, acme_NAME=VALUE}",
	}
}

func TestContexts(t *testing.T) {
	t.Parallel()
	s := all(t, Config{})
	for _, name := range []string{"token", "Token", "TOKEN", "secret", "api_key", "apiKey", "access_key",
		"client_secret", "password", "PASSWORD", "passwd"} {
		for _, value := range []string{"⟨w32⟩", "⟨h40⟩", "⟨h8⟩-⟨h4⟩-⟨h4⟩-⟨h4⟩-⟨h12⟩", "⟨s43⟩"} {
			for kind, context := range contexts() {
				secret, _ := fillIn(value, picker(name+value+kind))
				text := strings.NewReplacer("NAME", name, "VALUE", secret).Replace(context)
				if !covered(s, text, secret) {
					t.Errorf("%s: %q is not masked in %q: %q", kind, secret, text, secretsIn(s, text))
				}
			}
		}
	}
}

// TestNotSecrets are false positives that users reported to such tools, in our own words.
func TestNotSecrets(t *testing.T) {
	t.Parallel()
	s := all(t, Config{})
	for _, text := range []string{
		"client_vpn_endpoint_id = aws_ec2_client_vpn_endpoint.client-vpn-endpoint.id",
		"password combination.\n\nR5: Regulatory--21",
		"golang.org/x/oauth2 v0.15.0 h1:s8pnnxNVzjWyrvYdFUQq5llS1PX2zhPXmccZv99h7uQ=",
		"key: ${{ runner.os }}-go-${{ hashFiles('**/go.sum') }}", "password: ${{ secrets.REGISTRY_PASSWORD }}",
		"token: ${{ github.token }}",
		`<input type="password" id="password2" placeholder="Password">`, "<password>{{ password }}</password>",
		`password: { type: "string", minLength: 12 }`,
		"PASSWORD_MIN_LENGTH=12", "password_digest varchar(255)", "secretName: registry-credentials",
		"tokenURL: https://login.example.com/oauth2/v2.0/token",
		"secret = Secret.from_name('db-credentials')", "token = next(tokens)", "access_key = keys[0]",
		"api_key=API_KEY_PLACEHOLDER_2", "token = TokenType.ACCESS_2",
		"api-key: {{ .Values.apiKey }}", "password = input('Password: ')", "token := r.Header.Get(\"X-Token\")",
		"MYSQL_ROOT_PASSWORD_FILE=/run/secrets/mysql-root",
		"uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683", "image: python@sha256:⟨h64⟩",
		"integrity sha512-⟨b86⟩==", "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbC123",
	} {
		text, _ := fillIn(text, picker(text))
		if got := secretsIn(s, text); len(got) > 0 {
			t.Errorf("%q is found in %q", got, text)
		}
	}
}
