package main

import (
	"bytes"
	"crypto/sha1" // what the format has; the store is the script's own
	"encoding/base64"
	"encoding/binary"
	"strconv"
	"unicode/utf16"
)

// javaStore returns a PEM bundle's certificates as a Java key store (JKS) with the usual password.
func javaStore(bundle []byte) []byte {
	store := make([]byte, 12, len(bundle)) // a certificate takes less room than its PEM
	count := uint32(0)
	der := make([]byte, base64.StdEncoding.DecodedLen(len(bundle)))
	for {
		_, from, _ := bytes.Cut(bundle, []byte("-----BEGIN CERTIFICATE-----"))
		body, rest, ok := bytes.Cut(from, []byte("-----END CERTIFICATE-----"))
		if !ok {
			break
		}
		bundle = rest
		n, err := base64.StdEncoding.Decode(der, body) // which skips line breaks
		if err != nil {
			continue
		}
		store = binary.BigEndian.AppendUint32(store, 2) // a trusted certificate
		store = appendJavaText(store, strconv.Itoa(int(count)))
		store = binary.BigEndian.AppendUint64(store, 0) // when it was added
		store = appendJavaText(store, "X.509")
		store = binary.BigEndian.AppendUint32(store, uint32(n))
		store = append(store, der[:n]...)
		count++
	}
	binary.BigEndian.PutUint32(store, 0xFEEDFEED)
	binary.BigEndian.PutUint32(store[4:], 2) // version
	binary.BigEndian.PutUint32(store[8:], count)
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
