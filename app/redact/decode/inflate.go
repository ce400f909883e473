package decode

import (
	"bytes"
	"compress/bzip2"
	"compress/flate"
	"io"
	"strings"

	"github.com/computclaw/airlock/app/redact/derived"
)

// maxInflated bounds what one piece of compressed data may expand to, in bytes.
const maxInflated = 1 << 20

// What it costs to expand compressed data, in bytes of the budget: of bzip2 there are tables to be
// made first, and a byte of either may be work without making any text.
const (
	costFlate  = 1 << 10
	costBzip2  = 64 << 10
	costPacked = 16 // for each byte that is read
)

// checkSum is the longest check sum at the end, in bytes.
const checkSum = 8

// packed is compressed data that is being read.
type packed interface {
	io.Reader
	io.ByteReader
	Len() int // bytes left
}

// holdsPacked says whether something in the data looks like compressed data.
func holdsPacked(data []byte) bool {
	for i := 0; i+minPacked <= len(data); i++ {
		if magic[data[i]] && looksPacked(data[i:]) {
			return true
		}
	}
	return false
}

// Inflate adds what compressed data in decoded bytes expands to.
func (d *Decoder) Inflate(b *derived.Builder, data []byte, from, to int, s derived.Scale) {
	for i := 0; i+minPacked <= len(data); i++ {
		if magic[data[i]] && looksPacked(data[i:]) {
			d.expand(b, bytes.NewReader(data[i:]), from, to, i, s)
		}
	}
}

// expand adds what compressed data expands to. It begins at the decoded byte at of [from, to). Data
// that expands to too much is masked as it is.
func (d *Decoder) expand(b *derived.Builder, data packed, from, to, at int, s derived.Scale) {
	if d.Budget < 0 {
		d.refuse(from+s.Floor(at), to)
		return
	}
	size := at + data.Len()
	open := d.expander(data)
	if open == nil {
		d.Budget -= size - at - data.Len()
		return
	}
	out, err := io.ReadAll(io.LimitReader(open, int64(min(maxInflated, d.Budget)+1)))
	d.Budget -= len(out) + costPacked*(size-at-data.Len())
	if len(out) > maxInflated || (d.Budget < 0 && err == nil) {
		d.refuse(from+s.Floor(at), to)
		return
	}
	if len(out) >= derived.MinStretch {
		end := min(size-data.Len()+checkSum, size)
		b.Add(out, from+s.Floor(at), min(to, from+s.Ceil(end)), derived.Whole)
		b.Barrier()
	}
}

// magic has the bytes with which compressed data begins.
var magic = [256]bool{0x1f: true, 0x78: true, 'B': true}

// packs reports whether compressed data may begin with two bytes.
func packs(first, second byte) bool {
	switch first {
	case 0x78:
		return (int(first)<<8|int(second))%31 == 0 && second&0x20 == 0
	case 0x1f:
		return second == 0x8b
	}
	return first == 'B' && second == 'Z'
}

// minPacked is the least that compressed data has, in bytes.
const minPacked = 7

// looksPacked reports whether data begins as compressed data does: that of gzip, zlib or bzip2.
func looksPacked(data []byte) bool {
	switch {
	case len(data) < minPacked || !packs(data[0], data[1]):
		return false
	case data[0] == 0x78:
		return true
	case data[0] == 0x1f:
		return data[2] == 8
	}
	return len(data) > 9 && string(data[:3]) == "BZh" && string(data[4:10]) == "1AY&SY"
}

// expander returns a reader of what data expands to, or nil if it doesn't begin as it looked. What
// is wrong with the end doesn't matter.
func (d *Decoder) expander(data packed) io.Reader {
	first, _ := data.ReadByte() // all this looked packed, so it is there
	if first == 'B' {
		d.Budget -= costBzip2
		return bzip2.NewReader(io.MultiReader(strings.NewReader("B"), data))
	}
	d.Budget -= costFlate
	_, _ = data.ReadByte()
	if first == 0x1f && !skipGzipHead(data) {
		return nil
	}
	// There is one reader for all, because making one costs more than most that look so are worth.
	if again, ok := d.flate.(flate.Resetter); !ok || again.Reset(data, nil) != nil {
		d.flate = flate.NewReader(data)
	}
	return d.flate
}

// skipGzipHead reads what is behind the first two bytes of a gzip header, and reports whether all
// of it is there.
func skipGzipHead(data packed) bool {
	const extra, name, comment, sum = 4, 8, 16, 2
	var head [8]byte
	if _, err := io.ReadFull(data, head[:]); err != nil {
		return false
	}
	flags, skip := head[1], 0
	if flags&extra != 0 {
		var length [2]byte
		if _, err := io.ReadFull(data, length[:]); err != nil {
			return false
		}
		skip = int(length[0]) + int(length[1])<<8
	}
	if !skipBytes(data, skip) || flags&name != 0 && !skipText(data) || flags&comment != 0 && !skipText(data) {
		return false
	}
	return flags&sum == 0 || skipBytes(data, 2)
}

func skipBytes(data packed, n int) bool {
	for range n {
		if _, err := data.ReadByte(); err != nil {
			return false
		}
	}
	return true
}

func skipText(data packed) bool {
	for {
		if c, err := data.ReadByte(); err != nil || c == 0 {
			return err == nil
		}
	}
}
