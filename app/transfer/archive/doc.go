// Package archive is the sealed container of .airlock files: a stream of bytes, compressed, cut
// into chunks, and sealed under a passphrase. What the bytes mean is package transfer's.
// docs/airlock-file.md is the format in words, docs/read_airlock.py a reader that shares no code
// with this one.
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
// The bytes go through gzip, and what comes out is cut into pieces of 64 KiB, the last one shorter
// or equal. Each is sealed with AES-256-GCM: the nonce is the chunk's number, 11 bytes from 0, and
// one byte that is 1 for the last chunk and else 0; the associated data is the 70 bytes of the
// header. So a chunk can't be changed, left out, repeated, moved within the file or into another
// one, and the end can't be cut off, without being noticed.
//
// # Hostile files
//
// A file is refused before its passphrase is stretched if its costs are above what this package
// would ever write. Nothing is allocated by a number in the file except Argon2's memory. Reading
// holds one chunk. What a file unpacks to is bounded by the caller (Limit): the container can't
// tell much repetition from a bomb.
package archive
