# Makes more clients trust the box's bundle of the runtime's roots and Airlock's authority: those
# that name the runtime's roots by path (Debian's urllib3) or bring their own (certifi elsewhere).
# A file of the script's own stays as it is.
import os

OWN_ROOTS = (
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem", "/usr/lib/ssl/cert.pem",
    "/usr/local/ssl/cert.pem",
)
CERTIFI = "/certifi/cacert.pem"


def trust(changes):
    """Changes the module ssl as soon as it is imported: it is too large for idle boxes."""
    bundle = os.environ.get("SSL_CERT_FILE")
    if bundle:
        changes.add("ssl", lambda ssl: share_roots(ssl, bundle))


def share_roots(ssl, bundle):
    load = ssl.SSLContext.load_verify_locations

    def load_verify_locations(self, cafile=None, capath=None, cadata=None):
        name = os.fsdecode(cafile) if cafile is not None else ""
        load(self, bundle if name in OWN_ROOTS else cafile, capath, cadata)
        if name.endswith(CERTIFI):
            load(self, bundle)

    ssl.SSLContext.load_verify_locations = load_verify_locations
