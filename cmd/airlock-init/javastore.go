package main

import (
	"crypto/sha1" // what the format has; the store is the script's own
	"encoding/binary"
	"encoding/pem"
	"strconv"
	"unicode/utf16"
)

// javaStore returns the certificates of a PEM bundle as a Java key store (JKS) with the password
// that such stores have everywhere.
func javaStore(bundle []byte) []byte {
	var entries []byte
	count := 0
	for block, rest := pem.Decode(bundle); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		entries = binary.BigEndian.AppendUint32(entries, 2) // a trusted certificate
		entries = appendJavaText(entries, strconv.Itoa(count))
		entries = binary.BigEndian.AppendUint64(entries, 0) // when it was added
		entries = appendJavaText(entries, "X.509")
		entries = binary.BigEndian.AppendUint32(entries, uint32(len(block.Bytes)))
		entries = append(entries, block.Bytes...)
		count++
	}
	store := binary.BigEndian.AppendUint32(nil, 0xFEEDFEED)
	store = binary.BigEndian.AppendUint32(store, 2) // version
	store = binary.BigEndian.AppendUint32(store, uint32(count))
	store = append(store, entries...)
	check := sha1.New()
	for _, unit := range utf16.Encode([]rune("changeit")) {
		check.Write([]byte{byte(unit >> 8), byte(unit)})
	}
	check.Write([]byte("Mighty Aphrodite"))
	check.Write(store)
	return check.Sum(store)
}

func appendJavaText(b []byte, text string) []byte {
	return append(binary.BigEndian.AppendUint16(b, uint16(len(text))), text...)
}
