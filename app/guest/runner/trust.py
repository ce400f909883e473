# Some clients name the runtime's own roots by their path (Debian's urllib3) or bring their own (certifi elsewhere). They too have to trust
# the box's bundle, which is the runtime's roots and Airlock's authority. A file of the script's own stays what it is.
import os
import sys

OWN_ROOTS = (
    "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/cert.pem", "/usr/lib/ssl/cert.pem", "/usr/local/ssl/cert.pem",
)
CERTIFI = "/certifi/cacert.pem"


def trust():
    """Arranges that the module ssl is changed as soon as it is imported: it is too large for idle boxes."""
    bundle = os.environ.get("SSL_CERT_FILE")
    if not bundle:
        return
    if "ssl" in sys.modules:
        share_roots(sys.modules["ssl"], bundle)
    else:
        sys.meta_path.insert(0, SSLFinder(bundle))


class SSLFinder:
    """Finds the module ssl as the finders after it would, and changes it once it has run."""

    def __init__(self, bundle):
        self.bundle = bundle

    def find_spec(self, name, path=None, target=None):
        if name != "ssl":
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                self.follow(spec.loader)
                return spec
        return None

    def follow(self, loader):
        execute, bundle = loader.exec_module, self.bundle

        def exec_module(module):
            execute(module)
            share_roots(module, bundle)

        loader.exec_module = exec_module


def share_roots(ssl, bundle):
    load = ssl.SSLContext.load_verify_locations

    def load_verify_locations(self, cafile=None, capath=None, cadata=None):
        name = os.fsdecode(cafile) if cafile is not None else ""
        load(self, bundle if name in OWN_ROOTS else cafile, capath, cadata)
        if name.endswith(CERTIFI):
            load(self, bundle)

    ssl.SSLContext.load_verify_locations = load_verify_locations
