package main

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"encoding/pem"
	"testing"
)

// TestJavaStoreHoldsEveryCertificateOfTheBundle reads the store by its format.
func TestJavaStoreHoldsEveryCertificateOfTheBundle(t *testing.T) {
	want := [][]byte{[]byte("first"), bytes.Repeat([]byte("second, longer than a line"), 40), []byte("third")}
	var bundle []byte
	for i, der := range want {
		bundle = append(bundle, "# a comment\n"...)
		bundle = append(bundle, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
		if i == 1 { // neither what isn't base64 nor what is no certificate ends up in it
			bundle = append(bundle, "-----BEGIN CERTIFICATE-----\n*\n-----END CERTIFICATE-----\r\n"...)
			bundle = append(bundle, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})...)
		}
	}
	bundle = append(bundle, "-----BEGIN CERTIFICATE-----\nMIIB"...)
	store := javaStore(bundle)

	entries, sum := store[:len(store)-sha1.Size], store[len(store)-sha1.Size:]
	salted := append([]byte("\x00c\x00h\x00a\x00n\x00g\x00e\x00i\x00tMighty Aphrodite"), entries...)
	if check := sha1.Sum(salted); !bytes.Equal(sum, check[:]) {
		t.Errorf("checksum %x, want %x", sum, check)
	}
	number := func() int {
		n := binary.BigEndian.Uint32(entries)
		entries = entries[4:]
		return int(n)
	}
	text := func() string {
		n := int(binary.BigEndian.Uint16(entries))
		s := string(entries[2 : 2+n])
		entries = entries[2+n:]
		return s
	}
	if magic, version, count := number(), number(), number(); magic != 0xFEEDFEED || version != 2 || count != len(want) {
		t.Fatalf("magic %x, version %d, %d entries", magic, version, count)
	}
	for i, der := range want {
		tag, alias := number(), text()
		entries = entries[8:] // when it was added
		kind, size := text(), number()
		if tag != 2 || alias != string('0'+rune(i)) || kind != "X.509" || !bytes.Equal(entries[:size], der) {
			t.Errorf("entry %d: tag %d, alias %q, type %q, %q", i, tag, alias, kind, entries[:size])
		}
		entries = entries[size:]
	}
	if len(entries) > 0 {
		t.Errorf("%d bytes are left", len(entries))
	}
}
