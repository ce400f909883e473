// Package archive is the sealed container of .airlock files: a compressed stream in sealed chunks.
// Package transfer defines the bytes. docs/airlock-file.md describes the format;
// docs/read_airlock.py is an independent reader.
//
//	offset  bytes  content
//	0       8      "AIRLOCK" and 0x1a
//	8       2      version, 1
//	10      4      Argon2id memory, KiB
//	14      4      Argon2id passes
//	18      4      Argon2id lanes
//	22      16     salt, random
//	38      32     HMAC-SHA256 over the 38 bytes before it
//	70      …      chunks
//
// Numbers are big endian. Argon2id (version 0x13) over the passphrase in NFC and the salt gives 32
// bytes; HKDF-Expand (SHA-256) makes of them the key of the header's HMAC ("airlock file header")
// and the key of the chunks ("airlock file chunks").
//
// The bytes go through gzip, whose output is cut into pieces of 64 KiB, the last one shorter or
// equal. Each is sealed with AES-256-GCM: the nonce is the chunk's number, 11 bytes from 0, and
// one byte that is 1 for the last chunk and else 0; the associated data is the 70 bytes of the
// header. So changed, missing, repeated or moved chunks and a missing end are noticed.
//
// # Hostile files
//
// A file is refused before its passphrase is stretched if its costs are above what this package
// would ever write. Nothing is allocated by a number in the file except Argon2's memory. Reading
// holds one chunk. The caller bounds the unpacked size (Limit): the container can't tell repetition
// from a bomb.
package archive
