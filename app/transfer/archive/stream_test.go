package archive

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/computclaw/airlock/app"
)

func cheap() Cost { return Cost{Memory: 8, Passes: 1, Lanes: 1} }

const words = "correct horse battery staple ünïcode"

func pack(t testing.TB, content []byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := NewWriter(&file, app.NewSecret(words), cheap())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func unpack(file []byte, passphrase string, limit int64) ([]byte, error) {
	r, err := NewReader(bytes.NewReader(file), app.NewSecret(passphrase), limit)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

// noise doesn't compress, for a known number of chunks.
func noise(n int) []byte {
	out := make([]byte, n)
	x := uint64(88172645463325252)
	for i := range out {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		out[i] = byte(x)
	}
	return out
}

func TestRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, chunkSize - 200, chunkSize, chunkSize + 1, 5 * chunkSize} {
		content := noise(n)
		file := pack(t, content)
		got, err := unpack(file, words, 0)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes: %d came back, %v", n, len(got), err)
		}
		if n > 64 && bytes.Contains(file, content[:32]) {
			t.Errorf("%d bytes: the file holds the content", n)
		}
	}
}

func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		content := rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(r, "content")
		times := rapid.IntRange(1, 2000).Draw(r, "times")
		content = bytes.Repeat(content, times)
		file := pack(t, content)
		reader, err := NewReader(iotest.HalfReader(bytes.NewReader(file)), app.NewSecret(words), int64(len(content)))
		if err != nil {
			r.Fatal(err)
		}
		got, err := io.ReadAll(reader)
		if err != nil || !bytes.Equal(got, content) {
			r.Fatalf("%d of %d bytes, %v", len(got), len(content), err)
		}
	})
}

func TestPassphraseIsNormalized(t *testing.T) {
	decomposed := strings.ReplaceAll(strings.ReplaceAll(words, "ü", "u\u0308"), "ï", "i\u0308")
	if _, err := unpack(pack(t, []byte("x")), decomposed, 0); err != nil {
		t.Errorf("the same letters typed on another system don't open the file: %v", err)
	}
}

func TestWrongPassphrase(t *testing.T) {
	file := pack(t, noise(100))
	for _, p := range []string{"", "wrong", words + " ", strings.ToUpper(words)} {
		if _, err := unpack(file, p, 0); !errors.Is(err, ErrPassphrase) {
			t.Errorf("%q: %v", p, err)
		}
	}
}

func TestTwoFilesAreNotAlike(t *testing.T) {
	a, b := pack(t, noise(1000)), pack(t, noise(1000))
	if bytes.Equal(a[22:signedSize], b[22:signedSize]) || bytes.Equal(a[headerSize:], b[headerSize:]) {
		t.Error("two files share a salt or a key")
	}
}

func TestTamperedFile(t *testing.T) {
	content := noise(50)
	file := pack(t, content)
	for i := range file {
		changed := bytes.Clone(file)
		changed[i] ^= 1 << (i % 8)
		if i >= 10 && i < 22 { // costs: some changes ask for real work before they are found out
			continue
		}
		if got, err := unpack(changed, words, 0); err == nil || len(got) > 0 {
			t.Fatalf("byte %d: %d bytes came out, %v", i, len(got), err)
		}
	}
}

func TestTruncatedFile(t *testing.T) {
	file := pack(t, noise(3*chunkSize))
	for _, n := range []int{0, 7, 8, 9, 10, 37, headerSize - 1, headerSize, headerSize + 1, headerSize + tagSize,
		headerSize + chunkSize, headerSize + chunkSize + tagSize,
		headerSize + 2*(chunkSize+tagSize), headerSize + 3*(chunkSize+tagSize), len(file) - 1} {
		_, err := unpack(file[:n], words, 0)
		if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrFormat) {
			t.Errorf("%d of %d bytes: %v", n, len(file), err)
		}
	}
}

// chunksOf cuts a file into its header and sealed chunks.
func chunksOf(file []byte) (parts [][]byte) {
	parts = append(parts, file[:headerSize])
	for rest := file[headerSize:]; len(rest) > 0; {
		n := min(chunkSize+tagSize, len(rest))
		parts = append(parts, rest[:n])
		rest = rest[n:]
	}
	return parts
}

func TestRearrangedChunks(t *testing.T) {
	file, other := chunksOf(pack(t, noise(4*chunkSize))), chunksOf(pack(t, noise(4*chunkSize)))
	last := len(file) - 1
	for name, order := range map[string][][]byte{
		"swapped":        {file[0], file[2], file[1], file[3], file[last]},
		"repeated":       {file[0], file[1], file[1], file[2], file[3], file[last]},
		"left out":       {file[0], file[1], file[3], file[last]},
		"last left out":  {file[0], file[1], file[2], file[3]},
		"last first":     {file[0], file[last]},
		"last twice":     {file[0], file[1], file[2], file[3], file[last], file[last]},
		"of another":     {file[0], file[1], other[2], file[3], file[last]},
		"other header":   {other[0], file[1], file[2], file[3], file[last]},
		"nothing inside": {file[0]},
		"byte appended":  {file[0], file[1], file[2], file[3], file[last], {0}},
	} {
		if _, err := unpack(bytes.Join(order, nil), words, 0); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCostsAreBounded(t *testing.T) {
	for name, c := range map[string]Cost{
		"much memory": {4 << 20, 1, 1}, "all memory": {math.MaxUint32, 1, 1}, "many passes": {1024, 1000, 1},
		"endless passes": {8, math.MaxUint32, 1},
		"many lanes":     {1024, 1, 64}, "both": {maxMemory, maxPasses, 1}, "no pass": {1024, 0, 1}, "no lane": {1024, 1, 0},
		"no memory": {0, 1, 1},
	} {
		file := pack(t, nil)
		for i, n := range []uint32{c.Memory, c.Passes, c.Lanes} {
			binary.BigEndian.PutUint32(file[10+4*i:], n)
		}
		if _, err := unpack(file, words, 0); !errors.Is(err, ErrCost) && !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := DefaultCost().check(); err != nil {
		t.Errorf("our own cost: %v", err)
	}
}

func TestFutureVersion(t *testing.T) {
	file := pack(t, nil)
	binary.BigEndian.PutUint16(file[8:], 2)
	for _, n := range []int{10, len(file)} {
		if _, err := unpack(file[:n], words, 0); !errors.Is(err, ErrVersion) {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for _, text := range []string{"", "AIRLOCK", "SQLite format 3\x00 and more of it", "PK\x03\x04"} {
		if _, err := unpack([]byte(text), words, 0); !errors.Is(err, ErrFormat) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// 10 GiB of zeros are 10 MiB of file; reading stops at the limit.
func TestBombIsStopped(t *testing.T) {
	var file bytes.Buffer
	w, err := NewWriter(&file, app.NewSecret(words), cheap())
	if err != nil {
		t.Fatal(err)
	}
	block := make([]byte, 1<<20)
	for range 256 {
		if _, err := w.Write(block); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := NewReader(bytes.NewReader(file.Bytes()), app.NewSecret(words), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	if !errors.Is(err, ErrTooLarge) || n > 1<<20 {
		t.Errorf("%d bytes, %v", n, err)
	}
	if _, err := r.Read(block); !errors.Is(err, ErrTooLarge) {
		t.Errorf("reading goes on: %v", err)
	}
}

func TestUnpackableContent(t *testing.T) {
	whole := func(content []byte) []byte {
		var file bytes.Buffer
		header, k, err := newHeader(app.NewSecret(words), cheap())
		if err != nil {
			t.Fatal(err)
		}
		file.Write(header)
		c := newChunkWriter(&file, header, k.chunks)
		if _, err := c.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		return file.Bytes()
	}
	inner := func(content []byte) []byte {
		r, err := NewReader(bytes.NewReader(pack(t, content)), app.NewSecret(words), 0)
		if err != nil {
			t.Fatal(err)
		}
		zip, err := io.ReadAll(r.chunks)
		if err != nil {
			t.Fatal(err)
		}
		return zip
	}
	zip := inner([]byte("content"))
	for name, content := range map[string][]byte{
		"nothing": nil, "text": []byte("no gzip at all, only text"), "cut": zip[:len(zip)-3],
		"two streams": append(bytes.Clone(zip), zip...), "a byte more": append(bytes.Clone(zip), 0),
	} {
		if _, err := unpack(whole(content), words, 0); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := unpack(whole(zip), words, 0); err != nil || string(got) != "content" {
		t.Errorf("the test itself: %q, %v", got, err)
	}
}

func TestErrorsOfTheSource(t *testing.T) {
	broken := errors.New("the disk is on fire")
	file := pack(t, noise(2*chunkSize))
	for _, n := range []int{0, 20, headerSize + 5, headerSize + chunkSize + tagSize} {
		source := io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(broken))
		r, err := NewReader(source, app.NewSecret(words), 0)
		if err == nil {
			_, err = io.Copy(io.Discard, r)
		}
		if !errors.Is(err, broken) || errors.Is(err, ErrDamaged) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func TestCheckPassphrase(t *testing.T) {
	for _, good := range []string{"correct horse battery staple", "J8s/kd9+2kLmQx0Z", "anna liebt den sommer am see",
		"83920174650192837465"} {
		if err := CheckPassphrase(app.NewSecret(good)); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{"", "short", "password1234", "Summer2026!!", "aaaaaaaaaaaaaaaaaaaa",
		"12345678901234567890", "abcdefghijklmnop", "qwertyuiop123456", "two\nlines are too many words",
		"not \xff utf8 but long enough", strings.Repeat("long and longer ", 100)} {
		err := CheckPassphrase(app.NewSecret(bad))
		if app.CodeOf(err) != app.CodeInvalidField {
			t.Errorf("%q was taken: %v", bad, err)
			continue
		}
		var told *app.Error
		if errors.As(err, &told); told.Hint == "" || bad != "" && strings.Contains(err.Error(), bad) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestGoldenContainer(t *testing.T) {
	file, err := os.ReadFile("testdata/small.airlock")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := unpack(file, words, 0); err != nil || string(got) != "content of the file" {
		t.Errorf("%q, %v", got, err)
	}
}

// No file makes the reader panic, allocate much or return unsealed data.
func FuzzReader(f *testing.F) {
	good, err := os.ReadFile("testdata/small.airlock") // one and the same in every process that takes part
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:headerSize])
	f.Add(good[:len(good)-1])
	f.Add(append(bytes.Clone(good), 0))
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, file []byte) {
		if len(file) >= 22 && (binary.BigEndian.Uint32(file[10:]) > 1<<10 || binary.BigEndian.Uint32(file[14:]) > 4) {
			return // within bounds, but slow
		}
		got, err := unpack(file, words, 1<<20)
		if err == nil && (string(got) != "content of the file" || !bytes.Equal(file, good)) {
			t.Errorf("%d bytes of a foreign file were taken", len(got))
		}
	})
}
