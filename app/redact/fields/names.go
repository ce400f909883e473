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
	switch last := words[len(words)-1]; {
	case has("public", "certificate", "certificates", "cert", "ca", "fingerprint", "thumbprint"):
		return publicName
	case len(words) > 1 && slices.Contains(about(), last):
		return otherName
	}
	switch {
	case has("pass", "pw", "pin", "psk", "pat", "otp", "totp", "jwt", "mnemonic"),
		ends("password", "passwords", "passwort", "kennwort", "passwd", "pwd", "passphrase", "passcode", "secret", "secrets",
			"token", "credential", "credentials", "apikey", "accesskey", "accountkey", "secretkey", "privatekey", "authkey"):
		return secretName
	case ends("key", "keys"):
		if has("api", "access", "account", "secret", "private", "auth", "signing", "encryption", "master", "license",
			"shared", "storage", "service") {
			return secretName
		}
		return keyName
	case has("auth", "authorization", "tokens", "session", "cookie", "sid", "sig", "signature", "salt",
		"seed", "bearer", "hash"):
		return keyName
	}
	return otherName
}

// about are last words of names that tell something about a secret.
func about() []string {
	return []string{"file", "path", "dir", "name", "type", "url", "uri", "id", "count", "length", "len", "min", "max",
		"policy", "expiry", "expires", "expiration", "ttl", "timeout", "age", "hint", "algorithm", "alg", "manager", "store",
		"provider", "mode", "enabled", "required", "rotation", "version", "host", "port", "user", "username", "header",
		"prefix", "suffix", "format", "created", "updated", "at", "in", "endpoint", "issuer", "scope", "scopes"}
}

// wordsOf returns the words of a name in lower case: those between signs, and those that begin with
// a capital.
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
	return strings.Fields(b.String())
}

// IsSecret reports whether a name says that what it names is secret.
func IsSecret(name string) bool { return kindOf(name) == secretName }
