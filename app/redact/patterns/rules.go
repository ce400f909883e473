package patterns

import "slices"

// Rules returns the built-in rules. Where two find the same text, the first gives the name, so the
// special stand before the general.
func Rules() []Rule {
	return slices.Concat(keyRules(), cloudRules(), codeRules(), serviceRules(), generalRules())
}

// between stands between the lines of a key, also where it is written as a string or a list of
// strings.
const between = `(?:\s|\\[nr]|["',+])`

// keyRules find what no vendor owns and nothing else looks like.
func keyRules() []Rule {
	return []Rule{
		{
			Name: "private-key", About: "private keys in PEM, OpenSSH and PGP armour, with or without their end",
			Keywords: []string{"-----BEGIN"}, Inside: true, Lines: true, Reach: 16 << 10,
			Regexp: `-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----` + between +
				`*(?:(?:Proc-Type|DEK-Info|Comment|Version|Hash): ?[^\n\\]{0,}` + between + `+)*` +
				`(?:([A-Za-z0-9+/=]{16,}(?:[A-Za-z0-9+/=]|` + between + `)*)-----END|([A-Za-z0-9+/=]{16,}(?:` +
				between + `+[A-Za-z0-9+/=]{20,})*))`,
			Found: []string{
				"-----BEGIN PRIVATE KEY-----\n«⟨b64⟩\n⟨b64⟩\n⟨b31⟩=\n»-----END PRIVATE KEY-----\n",
				"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,⟨H32⟩\n\n«⟨b64⟩\n⟨b40⟩»\n... and " +
					"more was cut off",
				`{"key": "-----BEGIN EC PRIVATE KEY-----\n«⟨b64⟩\n⟨b30⟩==\n»-----END EC PRIVATE KEY-----\n"}`,
				"-----BEGIN OPENSSH PRIVATE KEY-----\n«⟨b70⟩\n⟨b70⟩\n»-----END OPENSSH PRIVATE KEY-----",
				"-----BEGIN PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v2\n\n«⟨b64⟩\n⟨b64⟩\n=⟨b4⟩\n»-----END PGP PRIVATE KEY " +
					"BLOCK-----",
			},
			Ignored: []string{
				"-----BEGIN PUBLIC KEY-----\n⟨b64⟩\n-----END PUBLIC KEY-----",
				"-----BEGIN CERTIFICATE-----\n⟨b64⟩\n⟨b64⟩\n-----END CERTIFICATE-----",
				"the file must begin with -----BEGIN PRIVATE KEY----- and hold one key",
				"-----BEGIN PRIVATE KEY-----\n[REDACTED]\n-----END PRIVATE KEY-----",
			},
		},
		{
			Name: "jwt", About: "JSON web tokens",
			Keywords: []string{"eyJ"}, Reach: 8 << 10,
			Regexp:  `eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*`,
			Entropy: 3.5,
			Found: []string{"token «eyJhbGciOi⟨s24⟩.eyJzdWIiOi⟨s60⟩.⟨s43⟩» expired",
				`"«eyJ0eXAiOi⟨s24⟩.eyJpc3MiOi⟨s40⟩.⟨s86⟩»"`, "«eyJhbGciOi⟨s14⟩.eyJzdWIiOi⟨s60⟩.» (alg none)"},
			Ignored: []string{"a JWT has three parts: eyJ….eyJ….signature", "eyJhbGciOi⟨s20⟩",
				"keyJ⟨s20⟩.eyJ⟨s20⟩.⟨s20⟩"},
		},
		{
			Name: "age-key", About: "age secret keys",
			Keywords: []string{"AGE-SECRET-KEY-1"}, Regexp: `AGE-SECRET-KEY-1[0-9A-Z]{50,60}`,
			Found:   []string{"# public key: age1⟨l58⟩\n«AGE-SECRET-KEY-1⟨u58⟩»"},
			Ignored: []string{"a line that begins with AGE-SECRET-KEY-1"},
		},
		{
			Name: "airlock-id", About: "Airlock's own profile ids, execution ids and admin tokens",
			Keywords: []string{"ark_", "exec_", "atk_"}, Regexp: `(?:ark_|exec_|atk_)[0-9a-hjkmnp-tv-z]{26,}\b`,
			Entropy: 3,
			Found:   []string{"profile «ark_⟨k26⟩» is locked", "/executions/«exec_⟨k26⟩»?wait=5", "ATOKEN «atk_⟨k32⟩»"},
			Ignored: []string{"ark_… is the agent's token", "spark_⟨k26⟩", "exec_command_with_a_long_name_of_its_own"},
		},
	}
}
