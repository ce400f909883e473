// Package secrets seals and opens what must be unreadable at rest, and knows where the instance key
// comes from.
//
// # Keys
//
// An instance key is any text of at least 32 characters. HKDF-SHA256 turns it into one subkey per
// purpose, so that a token made for one purpose can't be opened as another. A key id is 4 bytes
// derived from the key, shown as 8 hex digits; it names the key and tells nothing about it. A
// Keyring holds several keys: the first seals, all open.
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
// and row, each preceded by its length as 4 bytes big endian. So no byte of a token can be changed,
// and no token can be moved to another row. Nonces are random: one key may seal 2^32 tokens per
// purpose before it should be rotated.
//
// # Lookup and rotation
//
// Ids that are tokens themselves are found by a keyed hash (HMAC-SHA256). Its key must outlive
// every rotation, or nothing would be found again. It starts out as a subkey of the oldest instance
// key; SealLookupKey returns it sealed, for the settings table, and WithLookupKey takes it back at
// the next start. Whoever rotates the instance key adds the new one in front, seals every row anew
// (the lookup key among them) and drops the old key; the hashes stay as they are.
package secrets
