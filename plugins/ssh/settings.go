package ssh

import (
	"bytes"
	"crypto/rsa"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"github.com/computclaw/airlock/plugins"
)

// target is the machine and how to get in: the parsed form of this backend's own settings.
type target struct {
	address  string // host:port
	user     string
	signer   ssh.Signer
	hostKeys []ssh.PublicKey // empty: not pinned yet
	dir      string          // empty: the default
}

// String is how messages call the machine.
func (t target) String() string { return t.user + "@" + t.address }

// maxKeyText bounds keys and known_hosts lines, in bytes.
const maxKeyText = 64 << 10

// parseSettings splits settings into the target and those for the other side. Its errors never
// quote a key.
func parseSettings(in map[string]string) (t target, rest map[string]string, err error) {
	rest = map[string]string{"box": "fresh"} // a template would stay on a machine that may be cut off
	readers := map[string]func(string) error{}
	for _, own := range []string{"host", "user", "key", "host_key", "dir"} {
		readers[own] = func(string) error { return nil } // below, also where they are missing
	}
	for _, theirs := range []string{"bwrap", "cgroup", "limits", "root", "usr_local"} {
		readers[theirs] = func(value string) error {
			rest[theirs] = value
			return nil
		}
	}
	if err := plugins.ReadSettings(Name, in, readers); err != nil {
		return t, nil, err
	}
	if t.address, err = parseAddress(in["host"]); err != nil {
		return t, nil, fmt.Errorf("setting \"host\": %w", err)
	}
	if t.user, err = parseUser(in["user"]); err != nil {
		return t, nil, fmt.Errorf("setting \"user\": %w", err)
	}
	if t.signer, err = parseKey(in["key"]); err != nil {
		return t, nil, fmt.Errorf("setting \"key\": %w", err)
	}
	if t.hostKeys, err = parseHostKeys(in["host_key"], t.address); err != nil {
		return t, nil, fmt.Errorf("setting \"host_key\": %w", err)
	}
	if t.dir, err = parseDir(in["dir"]); err != nil {
		return t, nil, fmt.Errorf("setting \"dir\": %w", err)
	}
	return t, rest, nil
}

func parseAddress(text string) (string, error) {
	if text == "" {
		return "", errors.New("set AIRLOCK_SSH_HOST to the machine that boxes shall run on: host or host:port")
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil { // no port, or an IPv6 address without brackets
		host, port = strings.Trim(text, "[]"), "22"
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", fmt.Errorf("port %q is not a number from 1 to 65535", port)
	}
	if net.ParseIP(host) == nil && (len(host) > 253 || !hostName.MatchString(host)) {
		return "", fmt.Errorf("%q is not a host name or address", host)
	}
	return net.JoinHostPort(host, port), nil
}

var (
	hostName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)
	userName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._@-]*$`)
	dirName  = regexp.MustCompile(`^/[A-Za-z0-9._/ -]+$`)
)

func parseUser(text string) (string, error) {
	if text == "" {
		return "", errors.New("set AIRLOCK_SSH_USER to an account on that machine, best one without any rights")
	}
	if len(text) > 64 || !userName.MatchString(text) {
		return "", fmt.Errorf("%q is not a user name", text)
	}
	return text, nil
}

func parseDir(text string) (string, error) {
	if text != "" && (len(text) > 256 || !dirName.MatchString(text) || slices.Contains(strings.Split(text, "/"), "..")) {
		return "", fmt.Errorf("%q is not an absolute path of letters, digits and . _ - /", text)
	}
	return strings.TrimRight(text, "/"), nil
}

// minRSA is the shortest RSA key that is taken, in bits.
const minRSA = 2048

func parseKey(text string) (ssh.Signer, error) {
	if text == "" {
		return nil, errors.New("set AIRLOCK_SSH_KEY, or AIRLOCK_SSH_KEY_FILE, to the private key for that account; " +
			"ssh-keygen -t ed25519 -N '' makes one")
	}
	if len(text) > maxKeyText {
		return nil, errors.New("this is too long for a key")
	}
	signer, err := ssh.ParsePrivateKey([]byte(text))
	var locked *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &locked):
		return nil, errors.New("the key has a passphrase, and nobody is there to type it; make a key for Airlock " +
			"alone: ssh-keygen -t ed25519 -N '' -f airlock_key")
	case err != nil: // its text may quote what it could not read
		return nil, errors.New("this is not a private key in OpenSSH's or PEM form (is it the .pub file, or were its " +
			"line breaks lost?)")
	}
	switch signer.PublicKey().Type() {
	case ssh.KeyAlgoED25519, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521:
	case ssh.KeyAlgoRSA:
		if public, ok := signer.PublicKey().(ssh.CryptoPublicKey); ok {
			if key, ok := public.CryptoPublicKey().(*rsa.PublicKey); ok && key.N.BitLen() < minRSA {
				return nil, fmt.Errorf("an RSA key of %d bits is too short; %d is the least", key.N.BitLen(), minRSA)
			}
		}
	default:
		return nil, fmt.Errorf("keys of type %s are not supported; use ed25519, ecdsa or rsa",
			signer.PublicKey().Type())
	}
	return signer, nil
}

// parseHostKeys reads lines of known_hosts that name address. Lines may be a bare "TYPE BASE64
// [COMMENT]".
func parseHostKeys(text, address string) ([]ssh.PublicKey, error) {
	if len(text) > maxKeyText {
		return nil, errors.New("this is too long")
	}
	var keys []ssh.PublicKey
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, err := parseHostKey(line, address)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(keys, func(k ssh.PublicKey) bool { return bytes.Equal(k.Marshal(), key.Marshal()) }) {
			keys = append(keys, key)
		}
	}
	if text != "" && len(keys) == 0 {
		return nil, errors.New("there is no key in it")
	}
	return keys, nil
}

func parseHostKey(line, address string) (ssh.PublicKey, error) {
	bare, _, options, _, err := ssh.ParseAuthorizedKey([]byte(line))
	if err == nil && len(options) == 0 && strings.HasPrefix(line, bare.Type()+" ") {
		return bare, nil
	}
	marker, hosts, key, _, _, err := ssh.ParseKnownHosts([]byte(line))
	if err != nil {
		return nil, errors.New("it has to be \"TYPE BASE64\" or a line of known_hosts; a fingerprint alone is not " +
			"enough")
	}
	if marker != "" {
		return nil, fmt.Errorf("lines with @%s are not supported; give the host's own key", marker)
	}
	for _, host := range hosts {
		// What is hashed can't be read, and the key decides anyway.
		if strings.HasPrefix(host, "|") || host == knownhosts.Normalize(address) {
			return key, nil
		}
	}
	return nil, fmt.Errorf("the line is for %s and not for %s", strings.Join(hosts, ", "),
		knownhosts.Normalize(address))
}

// algorithms are the signature algorithms of the pinned keys. The server then shows one of them.
func algorithms(keys []ssh.PublicKey) []string {
	var out []string
	for _, key := range keys {
		if key.Type() == ssh.KeyAlgoRSA {
			out = append(out, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
			continue
		}
		out = append(out, key.Type())
	}
	return out
}
