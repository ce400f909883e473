package store

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/app"
)

func TestTextsComeBackAsTheyWere(t *testing.T) {
	s := open(t)
	at := time.UnixMilli(1).UTC()
	for i, text := range hostileTexts() {
		p := Profile{
			Lookup: []byte{byte(i)}, SealedID: []byte{1},
			Profile: app.Profile{Handle: fmt.Sprint("h", i), Description: text, MayRun: app.MayRunAny,
				CreatedBy:   app.Actor{Kind: app.ActorAgent},
				CreatedFrom: text, CreatedAt: at, UpdatedAt: at},
		}
		keys := []app.Key{{Name: fmt.Sprint("K", i), Description: text, Hosts: []app.Host{}}}
		var got Profile
		err := s.Write(t.Context(), func(tx *Tx) (err error) {
			if err := tx.Profiles.Insert(t.Context(), p); err != nil {
				return err
			}
			if got, err = tx.Profiles.ByHandle(t.Context(), p.Handle); err != nil {
				return err
			}
			if err := tx.Profiles.SetKeys(t.Context(), got.Row, keys, at); err != nil {
				return err
			}
			got, err = tx.Profiles.ByLookup(t.Context(), p.Lookup)
			return err
		})
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		p.Row, p.Keys = got.Row, keys
		if diff := cmp.Diff(p, got); diff != "" {
			t.Errorf("%q (-sent +read):\n%s", text, diff)
		}
	}
	for _, text := range hostileTexts() {
		err := s.Read(t.Context(), func(tx *Tx) error { _, err := tx.Profiles.ByHandle(t.Context(), text); return err })
		if app.CodeOf(err) != app.CodeNotFound {
			t.Errorf("handle %q: %v, want not_found", text, err)
		}
	}
}
