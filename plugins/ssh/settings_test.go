package ssh

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/computclaw/airlock/plugins/ssh/sshtest"
)

func marshal(t *testing.T, private any, passphrase string) string {
	t.Helper()
	var block *pem.Block
	var err error
	if passphrase == "" {
		block, err = ssh.MarshalPrivateKey(private, "")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte(passphrase))
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(block))
}

func TestParseAddress(t *testing.T) {
	for in, want := range map[string]string{
		"box.example.com": "box.example.com:22", "box:2222": "box:2222", "10.0.0.1": "10.0.0.1:22",
		"[fd00::1]:2222": "[fd00::1]:2222", "fd00::1": "[fd00::1]:22",
		"[fd00::1]": "[fd00::1]:22", "": "", "a b": "", "box:0": "", "box:70000": "", "box:ssh": "",
		"-oProxyCommand=x": "",
		"user@box":         "", "a/b": "",
	} {
		got, err := parseAddress(in)
		if (err == nil) != (want != "") || (err == nil && got != want) {
			t.Errorf("parseAddress(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
}

func TestParseDir(t *testing.T) {
	for in, ok := range map[string]bool{"": true, "/var/lib/airlock": true, "/a b/c": true, "relative": false,
		"/a/../b": false, "/a'b": false, "/$HOME": false, "/a\nb": false} {
		if _, err := parseDir(in); (err == nil) != ok {
			t.Errorf("parseDir(%q): %v", in, err)
		}
	}
}

func TestParseKey(t *testing.T) {
	ed, _ := sshtest.NewKey(t)
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	short, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, key, want string }{
		{"ed25519", ed, ""},
		{"without its last line break", strings.TrimSpace(ed), ""},
		{"ecdsa", marshal(t, ec, ""), ""},
		{"rsa", marshal(t, long, ""), ""},
		{"short rsa", marshal(t, short, ""), "too short"},
		{"encrypted", marshal(t, ec, "secret"), "passphrase"},
		{"none", "", "AIRLOCK_SSH_KEY_FILE"},
		{"garbage", "hunter2", "not a private key"},
		{"one line", strings.ReplaceAll(ed, "\n", " "), "line breaks"},
		{"huge", strings.Repeat("x", 1<<20), "too long"},
	} {
		_, err := parseKey(tt.key)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if err != nil && tt.key != "" && strings.Contains(err.Error(), tt.key) {
			t.Errorf("%s: the error quotes the key", tt.name)
		}
	}
}

func TestParseHostKeys(t *testing.T) {
	_, signer := sshtest.NewKey(t)
	_, second := sshtest.NewKey(t)
	one, two := line(signer.PublicKey()), line(second.PublicKey())
	const address = "box.example.com:2222"
	for _, tt := range []struct {
		name, text string
		keys       int
		err        string
	}{
		{name: "none", text: ""},
		{name: "bare", text: one, keys: 1},
		{name: "bare with comment", text: one + " root@box", keys: 1},
		{name: "known_hosts", text: "[box.example.com]:2222 " + one, keys: 1},
		{name: "one of several names", text: "other,[box.example.com]:2222 " + one, keys: 1},
		{name: "hashed", text: knownhosts.HashHostname("[box.example.com]:2222") + " " + one, keys: 1},
		{name: "several lines", text: "# comment\n" + one + "\n\n" + two + "\n" + one + "\n", keys: 2},
		{name: "other host", text: "box.example.com " + one, err: "is for box.example.com"},
		{name: "revoked", text: "@revoked [box.example.com]:2222 " + one, err: "@revoked"},
		{name: "authority", text: "@cert-authority *.example.com " + one, err: "@cert-authority"},
		{name: "fingerprint", text: ssh.FingerprintSHA256(signer.PublicKey()), err: "fingerprint alone"},
		{name: "options", text: "restrict " + one, err: "is for restrict"},
		{name: "comment only", text: "# nothing", err: "no key"},
		{name: "garbage", text: "ssh-ed25519 AAAA", err: "TYPE BASE64"},
	} {
		keys, err := parseHostKeys(tt.text, address)
		if len(keys) != tt.keys || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(),
			tt.err) {
			t.Errorf("%s: %d keys, %v, want %d, %q", tt.name, len(keys), err, tt.keys, tt.err)
		}
	}
}

func TestAlgorithms(t *testing.T) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	old, err := ssh.NewSignerFromKey(key)
	if err != nil {
		t.Fatal(err)
	}
	_, ed := sshtest.NewKey(t)
	want := []string{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256, ssh.KeyAlgoED25519}
	if diff := cmp.Diff(want, algorithms([]ssh.PublicKey{old.PublicKey(), ed.PublicKey()})); diff != "" {
		t.Error(diff) // never SHA-1
	}
}

// TestScriptsSurviveAnyShell: what shells disagree about must not be in them.
func TestScriptsSurviveAnyShell(t *testing.T) {
	for name, script := range map[string]string{"look": archScript, "upload": uploadScript, "launch": launchScript} {
		if i := strings.IndexAny(script, "'!\\\n`"); i >= 0 {
			t.Errorf("%s: %q at %d", name, script[i], i)
		}
	}
}

func TestSettingsAreSplit(t *testing.T) {
	key, host := sshtest.NewKey(t)
	got, rest, err := parseSettings(map[string]string{
		"host": "box", "user": "runner", "key": key, "host_key": line(host.PublicKey()), "dir": "/srv/airlock/",
		"root": "/srv/root", "limits": "polled",
	})
	if err != nil || got.String() != "runner@box:22" || got.dir != "/srv/airlock" {
		t.Errorf("%v, %v", got, err)
	}
	if diff := cmp.Diff(map[string]string{"root": "/srv/root", "limits": "polled", "box": "fresh"}, rest); diff != "" {
		t.Error(diff)
	}
}
