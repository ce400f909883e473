# encrypts and signs with cryptography
# needs: cryptography
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
box = Fernet(Fernet.generate_key())
assert box.decrypt(box.encrypt(b"text")) == b"text"
key = ec.generate_private_key(ec.SECP256R1())
key.public_key().verify(key.sign(b"text", ec.ECDSA(hashes.SHA256())), b"text", ec.ECDSA(hashes.SHA256()))
form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
assert key.private_bytes(*form).startswith(b"-----BEGIN")
set_result("works")
