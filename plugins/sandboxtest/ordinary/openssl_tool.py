# makes a key and a certificate with openssl, and verifies them
# needs: openssl
import ssl, subprocess
subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "k.pem", "-out", "c.pem",
                "-days", "1", "-subj", "/CN=local.test"], check=True, capture_output=True)
verify = ["openssl", "verify", "-CAfile", "c.pem", "c.pem"]
assert "c.pem: OK" in subprocess.run(verify, capture_output=True, text=True, check=True).stdout
ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain("c.pem", "k.pem")
digest = subprocess.run(["openssl", "dgst", "-sha256", "-r"], input=b"abc", capture_output=True, check=True).stdout
assert digest.startswith(b"ba7816bf8f01cfea")
set_result("works")
