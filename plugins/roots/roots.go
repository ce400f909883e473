// Package roots knows where programs look for the certificates they trust. airlock-init writes a
// bundle of the runtime's own and Airlock's. Backends with a mount namespace put it in those
// places.
package roots

// What airlock-init writes, by name, in the box's writable directory. Whatever a script makes of it
// hurts the script alone.
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

// Files returns where runtimes keep their roots in one file, by distribution. The first that exists
// counts. The last ones are patterns for runtimes that have only what Python's certifi brought.
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
