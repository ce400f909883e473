package passwordhash

import (
	"strings"
	"testing"

	"github.com/computclaw/airlock/app"
)

func TestDamagedHashesMatchNothing(t *testing.T) {
	token := app.NewAdminToken()
	good := Production().Hash(token)
	if ok, err := Matches(token, good); !ok || err != nil {
		t.Fatalf("the right token: %v %v", ok, err)
	}
	for _, bad := range []string{
		"", "$", "$argon2id$v=19$m=19456,t=2,p=1$$", strings.Replace(good, "argon2id", "argon2i", 1),
		strings.Replace(good, "v=19", "v=16", 1),
		strings.Replace(good, "m=19456", "m=4294967295", 1), strings.Replace(good, "t=2", "t=0", 1),
		strings.Replace(good, "p=1", "p=0", 1), good[:len(good)-10],
		strings.Replace(good, "t=2", "t=3", 1),
	} {
		if ok, _ := Matches(token, bad); ok {
			t.Errorf("%q matches", bad)
		}
	}
}
