package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// bundleName is the file with every certificate that scripts trust, in the box's writable
// directory. Whatever a script makes of it hurts the script alone.
const bundleName = ".airlock-ca.pem"

// maxRoots bounds the size of a runtime's own roots: they take a share of the script's /tmp
// and memory.
const maxRoots = 1 << 20

// rootFiles are where runtimes keep their roots in one file, by distribution; the first that exists
// counts. The last ones are patterns for runtimes that have only what Python's certifi brought.
func rootFiles() []string {
	return []string{
		"/etc/ssl/certs/ca-certificates.crt",                // Debian, Ubuntu, Alpine, Arch
		"/etc/pki/tls/certs/ca-bundle.crt",                  // Fedora, RHEL
		"/etc/ssl/ca-bundle.pem",                            // openSUSE
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // RHEL, older
		"/etc/ssl/cert.pem",                                 // Alpine, older; OpenSSL's own default
		"/usr/lib/ssl/cert.pem",
		"/usr/local/ssl/cert.pem",
		"/usr/local/lib/python3*/site-packages/certifi/cacert.pem",
		"/usr/lib/python3*/site-packages/certifi/cacert.pem",
		"/usr/lib/python3/dist-packages/certifi/cacert.pem",
	}
}

// bundleVariables are the names under which clients look for roots. Variables that change what a
// client demands, as libpq's PGSSLROOTCERT does, are not among them.
func bundleVariables() []string {
	return []string{
		"SSL_CERT_FILE",       // OpenSSL, so Python's ssl, httpx, aiohttp, urllib; Go; Ruby
		"REQUESTS_CA_BUNDLE",  // requests
		"CURL_CA_BUNDLE",      // curl
		"PIP_CERT",            // pip
		"NODE_EXTRA_CA_CERTS", // Node
		"AWS_CA_BUNDLE",       // boto3
		"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
		"GIT_SSL_CAINFO",
		"HTTPLIB2_CA_CERTS",
		"CARGO_HTTP_CAINFO",
		"DENO_CERT",
		"PERL_LWP_SSL_CA_FILE",
	}
}

// trust writes the runtime's own roots and the given certificates into one read-only file and
// returns the variables that lead clients to it. It is done before the interpreter starts: what
// that imports may read the roots at once.
func trust(ca []byte) ([]string, error) {
	if len(ca) == 0 {
		return nil, nil
	}
	bundle := append(systemRoots(), ca...)
	tmp, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("CA bundle: %w", err)
	}
	path := filepath.Join(tmp, bundleName)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return nil, fmt.Errorf("CA bundle: %w", err)
	}
	_, err = f.Write(bundle)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return nil, fmt.Errorf("CA bundle: %w", err)
	}
	var env []string
	for _, name := range bundleVariables() {
		env = append(env, name+"="+path)
	}
	return env, nil
}

// systemRoots returns the runtime's own roots in PEM, with a line break at the end; nothing if it
// has none.
func systemRoots() []byte {
	for _, pattern := range rootFiles() {
		matches, _ := filepath.Glob(pattern) // the patterns are well-formed
		for _, path := range matches {
			info, err := os.Stat(path)
			if err != nil || !info.Mode().IsRegular() || info.Size() > maxRoots {
				continue
			}
			if roots, err := os.ReadFile(path); err == nil &&
				bytes.Contains(roots, []byte("-----BEGIN CERTIFICATE-----")) {
				return append(roots, '\n')
			}
		}
	}
	return nil
}
