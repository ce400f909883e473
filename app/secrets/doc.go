// Package secrets loads the instance key and seals data at rest.
//
// # Keys
//
// An instance key is any text of at least 32 characters. HKDF-SHA256 derives one subkey per
// purpose, so a token for one purpose can't be opened as another. A key id is 4 bytes derived from
// the key, shown as 8 hex digits; it reveals nothing about the key. A Keyring holds several keys:
// the first seals, all open.
//
// # Token
//
//	offset  bytes  content
//	0       1      version, 1
//	1       4      key id
//	5       8      time of sealing, Unix seconds, big endian
//	13      12     nonce, random
//	25      n+16   AES-256-GCM ciphertext and tag
//
// The associated data is the text "airlock token", the 13 bytes before the nonce, and then purpose
// and row, each preceded by its length as 4 bytes big endian. So a token can't be changed or moved
// to another row. Nonces are random: one key may seal 2^32 tokens per purpose.
//
// # Lookup and rotation
//
// Ids that are tokens are found by a keyed hash (HMAC-SHA256). Its key must outlive every rotation.
// It starts as a subkey of the oldest instance key; store it with SealLookupKey, and restore it
// with WithLookupKey at each start. A rotation adds the new instance key in front, reseals every
// row (the lookup key too) and drops the old key; the hashes stay.
package secrets
