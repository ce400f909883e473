package match

import "testing"

func TestEndsInEscape(t *testing.T) {
	for _, text := range []string{
		`{"a":"\u`, `\u0`, `\u00`, `\u004`, `\u{`, `\u{4`, `\x`, `\x4`, `\x{`, `\U0000`, `\1`, `\10`, `%`, `%4`, `%u00`, `&#`, `&#x`, `&#6`,
		`_x`, `_x00`, `$`, `$2`, `~`, "%25", "%254", "%5Cu", "%5cu00", "%5C%75", `\u005cu`, `\u005c\u0075`, `\\u`, `&#92;u`, "%2525",
		"&amp;#x", "%26%23x", `\u0025`, `{\"a\":\"\\u00`, `\ud83d\u`,
	} {
		if !EndsInEscape([]byte(text)) {
			t.Errorf("%s is taken for complete", text)
		}
	}
	for _, text := range []string{
		"", "token=", "Bearer ", `{"a":"`, `{\"a\":\"`, `"line\n`, `\t`, `DOMAIN\`, `DOMAIN\\`, "%22", "%5B%22", "%3Ftoken%3D", "a+", "&quot;",
		"&#34;", `\u0022`, `\x22`, "_x0022_", "a\n", "\r\n", "<a>", "'", `"`, "user:", "https://x/?key=", "100%25 ", "<![CDATA[", "a_", "a&b=",
	} {
		if EndsInEscape([]byte(text)) {
			t.Errorf("%s is taken for half an escape", text)
		}
	}
}
