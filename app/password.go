package app

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Lengths of a password: minimum in characters, maximum in bytes.
const (
	MinPassword = 12
	MaxPassword = 1024
)

// MaxPersonName is the longest name of a person, in bytes.
const MaxPersonName = 64

// CheckPersonName returns a person's name with spaces trimmed and merged, else CodeInvalidField.
func CheckPersonName(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	if name == "" {
		return "", Invalid("name", "the name is empty", "Type the name that the audit log shall show, such as Ada Lovelace.")
	}
	if strings.ContainsFunc(name, IsInvisible) {
		return "", Invalid("name", "the name contains a character that can't be seen",
			"Remove it: two people must not have names that look the same.")
	}
	return name, CheckText("name", name, MaxPersonName)
}

// FoldName returns a person's name for comparison, without case and extra spaces.
func FoldName(name string) string { return strings.ToLower(strings.Join(strings.Fields(name), " ")) }

// CheckPassword refuses easily guessed passwords. Length counts; no kind of character is required.
func CheckPassword(name string, password Secret) error {
	text := password.Reveal()
	folded := strings.ToLower(text)
	bare := strings.Trim(folded, "0123456789!.?*#$ -_")
	switch {
	case !utf8.ValidString(text) || len(text) > MaxPassword:
		return Invalid("password", fmt.Sprintf("the password has more than %d bytes or is not text", MaxPassword),
			"Choose another one.")
	case utf8.RuneCountInString(text) < MinPassword:
		return Invalid("password", fmt.Sprintf("the password has fewer than %d characters", MinPassword),
			"Use a longer one: a few words that don't belong together are easy to remember.")
	case len(distinct(folded)) < 5 || isRun(folded):
		return Invalid("password", "the password only repeats or counts", "Use a few words that don't belong together.")
	case slices.Contains(commonPasswords, folded) || slices.Contains(commonPasswords, bare) ||
		slices.Contains(usual, bare) || isRepeated(bare):
		return Invalid("password", "the password is easy to guess",
			"Use a few words that don't belong together.")
	case name != "" && strings.Contains(folded, FoldName(name)) &&
		utf8.RuneCountInString(text)-utf8.RuneCountInString(name) < 8:
		return Invalid("password", "the password is little more than the name", "Use a few words that don't belong together.")
	}
	return nil
}

func distinct(text string) map[rune]bool {
	seen := map[rune]bool{}
	for _, r := range text {
		seen[r] = true
	}
	return seen
}

// isRun reports whether the text only counts up or down, such as 123456789012.
func isRun(text string) bool {
	const digits, letters, keys = "01234567890123456789", "abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm"
	for _, order := range []string{digits, letters, keys} {
		if strings.Contains(order, text) || strings.Contains(reverse(order), text) {
			return true
		}
	}
	return false
}

func reverse(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

// isRepeated reports whether the text repeats one piece of at least 3 bytes.
func isRepeated(text string) bool {
	for n := 3; n <= len(text)/2; n++ {
		if len(text)%n == 0 && strings.Repeat(text[:n], len(text)/n) == text {
			return true
		}
	}
	return false
}

// commonPasswords are the long ones of leaked lists, and lazy ones for this place.
var commonPasswords = []string{
	"passwordpassword", "password1234", "passw0rd1234", "p@ssword1234", "mypassword", "thisismypassword", "changemeplease",
	"pleasechangeme", "letmeinplease", "letmeinnow",
	"administrator", "administratoradmin", "adminadminadmin", "rootrootroot", "welcometohome", "iloveyouforever",
	"iloveyousomuch", "iloveyoubaby", "trustno1trustno1",
	"qwertyuiopasdf", "qwertyuiopasdfgh", "qwerty123456", "qwerty12345678", "1qaz2wsx3edc", "1qaz2wsx3edc4rfv",
	"zaq12wsxcde3", "1q2w3e4r5t6y", "q1w2e3r4t5y6", "asdfghjklqwerty",
	"abc123abc123", "abcd1234abcd", "a1b2c3d4e5f6", "123456abcdef", "abcdef123456", "123qweasdzxc", "qweasdzxc123",
	"112233445566", "121212121212", "123123123123",
	"correct horse battery staple", "correcthorsebatterystaple", "correct-horse-battery-staple", "troubadour",
	"monkeymonkey", "dragondragon", "footballfootball", "liverpoolfc",
	"manchesterunited", "chelseafootball", "starwarsstarwars", "supermansuperman", "princessprincess", "sunshinesunshine",
	"michaeljordan", "jesuschrist", "internetexplorer",
	"airlockairlock", "airlockadmin", "airlockpassword", "secretsecret", "supersecret", "topsecretpassword",
	"verysecretpassword", "testpassword", "temporarypassword", "defaultpassword",
	"masterpassword", "loginlogin", "computercomputer", "summersummer", "winterwinter", "nothingelsematters",
}
