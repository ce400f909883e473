package fields

import "testing"

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
