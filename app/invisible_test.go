package app

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"lines\nand\ttabs\r\n":           "lines\nand\ttabs\r\n",
		"pay \u202eevil\u202c":           "pay [U+202E]evil[U+202C]",
		"a\u200bb\ufeffc":                "a[U+200B]b[U+FEFF]c",
		"tag\U000e0041\U000e007f":        "tag[U+E0041][U+E007F]",
		"\x1b[31mred\x00":                "[U+001B][31mred[U+0000]",
		"soft\u00adhyphen, line\u2028":   "soft[U+00AD]hyphen, line[U+2028]",
		"blank \u3164\u2800\u115f\uffa0": "blank [U+3164][U+2800][U+115F][U+FFA0]",
		"not UTF-8 \xff\u200b\xff":       "not UTF-8 \xff[U+200B]\xff",
		"👩‍💻 👩🏽‍🚀 ❤️ 🏳️‍🌈 1️⃣":              "👩‍💻 👩🏽‍🚀 ❤️ 🏳️‍🌈 1️⃣",
		"می‌خواهم क्‍ष":                     "می‌خواهم क्‍ष",
		"p\u200da\u200css":                  "p[U+200D]a[U+200C]ss",
		"👩\u200d\u200d💻 ❤\ufe0f\ufe0f":      "👩[U+200D][U+200D]💻 ❤\ufe0f[U+FE0F]",
		"a\ufe0f\U000e0100 \u200d\u200c":    "a[U+FE0F][U+E0100] [U+200D][U+200C]",
		"a\U0001d159\U00016fe4\ufffc\ue000": "a[U+1D159][U+16FE4][U+FFFC][U+E000]",
		"b\U000f0000\U0010fffd\ufdd0\uffff": "b[U+F0000][U+10FFFD][U+FDD0][U+FFFF]",
		"🏴\U000e0067\U000e0062\U000e007f":   "🏴[U+E0067][U+E0062][U+E007F]",
	} {
		if got := VisibleText(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// TestVisibleLeavesNothing: only invisible characters that modify the one before are left.
func TestVisibleLeavesNothing(t *testing.T) {
	odd := rapid.SampledFrom([]rune("a1# \n\t‼❤👩🏽💻ک\u200b\u200c\u200d\ufe0f\ufe0e\u202e\U000e0041\u2800\x1b\ufffd"))
	rapid.Check(t, func(r *rapid.T) {
		text := string(rapid.SliceOfN(odd, 0, 12).Draw(r, "text"))
		got := VisibleText(text)
		if again := VisibleText(got); again != got {
			r.Fatalf("%q is %q, which is %q", text, got, again)
		}
		last := ' '
		for _, c := range got {
			if IsInvisible(c) && !strings.ContainsRune("\n\t\u200c\u200d\ufe0e\ufe0f", c) || c == '\u200d' && last == '\u200d' {
				r.Fatalf("%q: %U is left behind %U in %q", text, c, last, got)
			}
			last = c
		}
	})
}

// TestDefaultIgnorableIsInvisible has the property's ranges, of DerivedCoreProperties.txt of
// Unicode 16.0.
func TestDefaultIgnorableIsInvisible(t *testing.T) {
	for _, ignorable := range [][2]rune{
		{0xad, 0xad}, {0x34f, 0x34f}, {0x61c, 0x61c}, {0x115f, 0x1160}, {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f},
		{0x202a, 0x202e},
		{0x2060, 0x206f}, {0x3164, 0x3164}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfff8},
		{0x1bca0, 0x1bca3},
		{0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
	} {
		for r := ignorable[0]; r <= ignorable[1]; r++ {
			if !IsInvisible(r) {
				t.Errorf("%U", r)
			}
		}
	}
}

// TestInvisibleShortcut: what isn't looked up has none of them.
func TestInvisibleShortcut(t *testing.T) {
	for r := range unicode.MaxRune + 1 {
		if utf8.ValidRune(r) && IsInvisible(r) != unicode.In(r, Invisible()...) {
			t.Fatalf("%U", r)
		}
	}
}
