package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/computclaw/airlock/plugins/roots"
)

// maxRoots bounds the runtime's roots, which take the script's /tmp and memory.
const maxRoots = 1 << 20

// bundleVariables are the names under which clients look for roots. It leaves out those that change
// a client's demands, as libpq's PGSSLROOTCERT.
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

// trust returns files with the runtime's roots and ca, and variables naming them. They must exist
// before the interpreter starts: its imports may read roots.
func trust(tmp string, ca []byte) (files map[string][]byte, env []string) {
	if _, err := os.Lstat(roots.System); len(ca) == 0 && err != nil {
		return nil, nil // and the runtime's own roots are in their places
	}
	bundle := append(systemRoots(), ca...)
	files = map[string][]byte{roots.Bundle: bundle}
	if target, err := os.Readlink(roots.JavaFile); err == nil && target == filepath.Join(tmp, roots.JavaStore) {
		files[roots.JavaStore] = javaStore(bundle)
	}
	if len(ca) == 0 {
		return files, nil
	}
	for _, name := range bundleVariables() {
		env = append(env, name+"="+filepath.Join(tmp, roots.Bundle))
	}
	return files, env
}

func writeReadOnly(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return errors.Join(err, f.Close())
}

// debianCertifi is Debian's certifi bundle, though Debian's reads the system's roots.
const debianCertifi = "/usr/lib/python3/dist-packages/certifi/cacert.pem"

// systemRoots returns the runtime's roots in PEM, ending with a line break, or nothing.
func systemRoots() []byte {
	for _, pattern := range slices.Concat([]string{roots.System}, roots.Files(), []string{debianCertifi}) {
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
