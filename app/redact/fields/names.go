package fields

import (
	"slices"
	"strings"
	"unicode"
)

// kind is what a name says about what it names.
type kind int

const (
	otherName kind = iota
	secretName
	keyName    // secret if it looks so: there are primary keys, too
	publicName // never secret, such as a certificate
)

// kindOf tells names of secrets, such as DB_PASSWORD, clientSecret or client-key-data, from others,
// such as token_type or secret_name.
func kindOf(name string) kind {
	words := wordsOf(name)
	if len(words) == 0 {
		return otherName
	}
	has := func(list ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	ends := func(list ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool {
			return slices.ContainsFunc(list, func(end string) bool { return strings.HasSuffix(w, end) })
		})
	}
	key := ends("key", "keys")
	switch last := words[len(words)-1]; {
	case strings.HasSuffix(strings.Join(words, ""), "sessionid"), ends("sessid"):
		return keyName
	case len(words) > 1 && slices.Contains(metadataWords(), last):
		return otherName
	case ends("password", "passwords", "passwort", "kennwort", "passwd", "pwd", "passphrase", "passcode", "pw",
		"secret", "secrets", "token", "credential", "credentials", "creds", "apikey", "accesskey", "accountkey", "secretkey",
		"privatekey", "authkey"),
		has("pin", "psk", "pat", "otp", "totp", "jwt", "mnemonic"),
		ends("pass") && !ends("bypass", "compass"):
		return secretName
	case has("public", "fingerprint", "thumbprint"),
		has("certificate", "certificates", "cert", "ca") && !key:
		return publicName
	case key && has("api", "access", "account", "secret", "private", "auth", "signing", "encryption", "master", "license",
		"shared", "storage", "service"):
		return secretName
	case key, has("auth", "authorization", "tokens", "session", "cookie", "sid", "sig", "signature", "salt", "seed",
		"bearer", "hash"):
		return keyName
	}
	return otherName
}

// metadataWords are last words of names that tell something about a secret.
func metadataWords() []string {
	return []string{"file", "path", "dir", "name", "type", "url", "uri", "id", "count", "length", "len", "min", "max",
		"policy", "expiry", "expires", "expiration", "ttl", "timeout", "age", "hint", "algorithm", "alg", "manager", "store",
		"provider", "mode", "enabled", "required", "rotation", "version", "host", "port", "user", "username", "header",
		"prefix", "suffix", "format", "created", "updated", "at", "in", "endpoint", "issuer", "scope", "scopes"}
}

// wordsOf returns the words of a name in lower case, without digits at their ends. Signs and
// capitals begin new ones.
func wordsOf(name string) []string {
	var b strings.Builder
	small := false
	for _, c := range name {
		if unicode.IsUpper(c) && small {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(c) || unicode.IsDigit(c)
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			b.WriteRune(unicode.ToLower(c))
		} else {
			b.WriteByte(' ')
		}
	}
	words := strings.Fields(b.String())
	for i, w := range words {
		words[i] = strings.TrimRight(w, "0123456789")
	}
	return slices.DeleteFunc(words, func(w string) bool { return w == "" })
}
