#!/usr/bin/python3
"""Reads an .airlock file and prints its lines (docs/airlock-file.md).

    read_airlock.py FILE < passphrase > lines.jsonl

It needs argon2-cffi and cryptography (Debian: python3-argon2, python3-cryptography) and shares no
code with Airlock. Its output holds every secret of the file. It prints before it has checked the
end of the file: use the output only if it exits with 0.
"""

import gzip
import hashlib
import hmac
import io
import struct
import sys
import unicodedata

import argon2.low_level
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MAGIC = b"AIRLOCK\x1a"
HEADER = 70
CHUNK = 64 * 1024 + 16


def expand(root: bytes, use: bytes) -> bytes:
    """Returns one block of HKDF-Expand with SHA-256."""
    return hmac.new(root, use + b"\x01", hashlib.sha256).digest()


def open_header(header: bytes, passphrase: str) -> AESGCM:
    if len(header) < HEADER or header[:8] != MAGIC:
        sys.exit("this is not an .airlock file")
    version, memory, passes, lanes = struct.unpack(">HIII", header[8:22])
    if version != 1:
        sys.exit(f"unknown version {version}")
    if memory > 512 * 1024 or passes > 16 or lanes > 16:
        sys.exit("the file asks for too much memory or time")
    root = argon2.low_level.hash_secret_raw(
        unicodedata.normalize("NFC", passphrase).encode(),
        header[22:38],
        time_cost=passes,
        memory_cost=memory,
        parallelism=lanes,
        hash_len=32,
        type=argon2.low_level.Type.ID,
        version=0x13,
    )
    mac = hmac.new(expand(root, b"airlock file header"), header[:38], hashlib.sha256).digest()
    if not hmac.compare_digest(mac, header[38:]):
        sys.exit("the passphrase is wrong")
    return AESGCM(expand(root, b"airlock file chunks"))


class Chunks(io.RawIOBase):
    """Reads the decrypted chunks as one stream, which ends only after the chunk marked as last."""

    def __init__(self, file, header, aead):
        self.file, self.header, self.aead = file, header, aead
        self.number, self.rest, self.last = 0, b"", False
        self.sealed = file.read(CHUNK)

    def readable(self):
        return True

    def readinto(self, buffer):
        while not self.rest and not self.last:
            following = self.file.read(CHUNK)
            self.last = not following
            nonce = self.number.to_bytes(11, "big") + (b"\x01" if self.last else b"\x00")
            try:
                self.rest = self.aead.decrypt(nonce, self.sealed, self.header)
            except (InvalidTag, ValueError):
                sys.exit(f"chunk {self.number} was changed, moved or cut off")
            self.number, self.sealed = self.number + 1, following
        n = min(len(buffer), len(self.rest))
        buffer[:n], self.rest = self.rest[:n], self.rest[n:]
        return n


def main():
    passphrase = sys.stdin.readline().rstrip("\r\n")
    with open(sys.argv[1], "rb") as file:
        header = file.read(HEADER)
        chunks = io.BufferedReader(Chunks(file, header, open_header(header, passphrase)))
        for line in gzip.GzipFile(fileobj=chunks):
            sys.stdout.buffer.write(line)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
