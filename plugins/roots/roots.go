// Package roots lists the paths where programs look for trusted certificates. airlock-init writes a
// bundle of the runtime's own and Airlock's. Backends with a mount namespace mount it there.
package roots

// airlock-init's files, by name, in the box's writable directory. A script that changes them harms
// only itself.
const (
	Bundle    = ".airlock/ca.pem"  // PEM
	JavaStore = ".airlock/cacerts" // for Java, if the runtime has such a store
)

// System leads to the runtime's own roots in boxes where Bundle took their place.
const System = "/etc/ssl/system/roots.pem"

// Unread is told to agents where Bundle can't replace the system's roots.
const Unread = "wget and Java don't reach hosts of sealed keys."

// JavaFile is where distributions keep the store of all their Javas.
const JavaFile = "/etc/ssl/certs/java/cacerts"

// Files returns the paths of distributions' root bundles. The first that exists counts. The last
// are patterns for runtimes with only Python's certifi.
func Files() []string {
	return []string{
		"/etc/ssl/certs/ca-certificates.crt",                // Debian, Ubuntu, Alpine, Arch
		"/etc/pki/tls/certs/ca-bundle.crt",                  // Fedora, RHEL
		"/etc/ssl/ca-bundle.pem",                            // openSUSE
		"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", // RHEL, older
		"/etc/ssl/cert.pem",                                 // Alpine, older; OpenSSL's own default
		"/usr/lib/ssl/cert.pem",                             // OpenSSL's default on Debian
		"/usr/local/ssl/cert.pem",
		"/usr/local/lib/python3*/site-packages/certifi/cacert.pem",
		"/usr/lib/python3*/site-packages/certifi/cacert.pem",
	}
}
