# F24 looks for the authority's key and forges certificates, streams and identities
# hosts: echo.test
# timeout: 30
import glob, ssl
bundle = os.environ.get("SSL_CERT_FILE", "")
if "PRIVATE" in open(bundle).read():
    breach("a private key is in the bundle")
for pattern in (TMP + "/*", TMP + "/.*", "/run/*", "/run/*/*", "/var/lib/*", "/proc/self/fd/*"):
    for path in glob.glob(pattern):
        try:
            small = os.path.isfile(path) and os.path.getsize(path) < 1 << 20
            if small and b"PRIVATE" + b" KEY" in open(path, "rb").read():
                breach("a private key is in " + path)
        except OSError:
            pass
# Airlock gives a certificate for the dialled name only, whatever name is asked for.
context = ssl.create_default_context()
for name in ("echo.test.evil.example", "*.test", "airlock.test"):
    try:
        with socket.create_connection(("echo.test", 443), 5) as s, context.wrap_socket(s, server_hostname=name):
            breach("got a certificate for " + name)
    except (OSError, ValueError):
        pass
held()
