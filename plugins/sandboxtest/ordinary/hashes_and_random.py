# hashes, signs and makes random tokens
import base64, hashlib, hmac, random, secrets
assert hashlib.sha256(b"abc").hexdigest().startswith("ba7816bf")
assert hashlib.blake2b(b"abc", digest_size=4).hexdigest() == "63906248"
assert hmac.new(b"key", b"text", "sha256").digest() != hmac.new(b"other", b"text", "sha256").digest()
assert len(hashlib.scrypt(b"password", salt=b"salt", n=1024, r=8, p=1)) == 64
assert len(base64.urlsafe_b64decode(secrets.token_urlsafe(32) + "=")) == 32
random.seed(1)
assert random.randint(0, 10**6) == 140891
set_result("works")
