package app

import "strings"

// Service is a well-known service that keys are named after.
type Service struct {
	Host string // where the values of such keys belong
	Path string // answers to GET only with a valid key as Bearer; "" if none is known
}

// ServiceOf returns the service in a key's name: GitHub for GITHUB_TOKEN. It is a suggestion for
// people.
func ServiceOf(key string) (s Service, ok bool) {
	name, _, several := strings.Cut(strings.ToUpper(key), "_")
	if !several {
		return s, false
	}
	s, ok = services[name]
	return s, ok
}

// services are recognised by the first word of a key's name.
var services = map[string]Service{
	"AIRTABLE":     {"api.airtable.com", "/v0/meta/whoami"},
	"ANTHROPIC":    {"api.anthropic.com", ""},
	"ASANA":        {"app.asana.com", "/api/1.0/users/me"},
	"CLOUDFLARE":   {"api.cloudflare.com", "/client/v4/user/tokens/verify"},
	"COHERE":       {"api.cohere.com", "/v1/models"},
	"DEEPL":        {"api.deepl.com", ""},
	"DIGITALOCEAN": {"api.digitalocean.com", "/v2/account"},
	"DISCORD":      {"discord.com", ""},
	"FIGMA":        {"api.figma.com", ""},
	"GH":           {"api.github.com", "/user"},
	"GITHUB":       {"api.github.com", "/user"},
	"GITLAB":       {"gitlab.com", "/api/v4/user"},
	"GROQ":         {"api.groq.com", "/openai/v1/models"},
	"HEROKU":       {"api.heroku.com", ""},
	"HF":           {"huggingface.co", "/api/whoami-v2"},
	"HUBSPOT":      {"api.hubapi.com", ""},
	"HUGGINGFACE":  {"huggingface.co", "/api/whoami-v2"},
	"LINEAR":       {"api.linear.app", ""},
	"MAILGUN":      {"api.mailgun.net", ""},
	"MISTRAL":      {"api.mistral.ai", "/v1/models"},
	"NETLIFY":      {"api.netlify.com", "/api/v1/user"},
	"NOTION":       {"api.notion.com", ""},
	"OPENAI":       {"api.openai.com", "/v1/models"},
	"PAGERDUTY":    {"api.pagerduty.com", ""},
	"RESEND":       {"api.resend.com", "/domains"},
	"SENDGRID":     {"api.sendgrid.com", "/v3/scopes"},
	"SENTRY":       {"sentry.io", "/api/0/organizations/"},
	"SLACK":        {"slack.com", ""},
	"STRIPE":       {"api.stripe.com", "/v1/balance"},
	"TELEGRAM":     {"api.telegram.org", ""},
	"TWILIO":       {"api.twilio.com", ""},
	"VERCEL":       {"api.vercel.com", "/v2/user"},
}

// NamesInjected reports whether a key's name suggests an unsealable secret. Examples are database
// passwords and signing keys.
func NamesInjected(key string) bool {
	words := strings.Split(strings.ToUpper(key), "_")
	last := words[len(words)-1]
	system := false
	for _, word := range words[:len(words)-1] {
		switch word {
		case "DB", "DATABASE", "PG", "POSTGRES", "POSTGRESQL", "MYSQL", "MARIADB", "MONGO", "MONGODB", "REDIS", "ORACLE",
			"MSSQL", "SQLSERVER", "SNOWFLAKE", "CLICKHOUSE", "SMTP", "IMAP", "FTP", "SFTP", "SSH", "LDAP", "AMQP",
			"RABBITMQ", "KAFKA":
			system = true
		case "SIGNING", "PRIVATE":
			if last == "KEY" || last == "SECRET" {
				return true
			}
		}
	}
	switch last {
	case "PASS", "PASSWORD", "PASSWD", "PWD", "DSN", "URL", "URI":
		return system
	case "PGPASSWORD":
		return true
	}
	return false
}
