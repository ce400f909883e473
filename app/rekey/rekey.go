package rekey

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app/instance"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
)

// batch is how many tokens one transaction seals anew. Other writers wait that long.
const batch = 200

// Run seals anew everything under the ring's older keys, and returns the number of tokens. The
// keyring's own data comes first: from then on an older key alone opens no database. A token that
// no key of the ring opens is an error; earlier changes stay. A token too damaged to name its key
// stays: it needs none.
func Run(ctx context.Context, st *store.Store, ring *secrets.Keyring) (n int, err error) {
	err = st.Write(ctx, func(tx *store.Tx) error { return instance.RenewKeyring(ctx, tx, ring, time.Now()) })
	if err != nil {
		return 0, err
	}
	for _, column := range store.SealedColumns() {
		for after := int64(0); ; {
			var found []store.SealedToken
			done := 0
			err := st.Write(ctx, func(tx *store.Tx) error {
				var err error
				if found, err = tx.Tokens.OfOtherKeys(ctx, column, ring.KeyIDBytes(), after, batch); err != nil {
					return err
				}
				for _, t := range found {
					switch err := reseal(ctx, tx, ring, column, t); {
					case errors.Is(err, secrets.ErrDamaged):
					case err != nil:
						return err
					default:
						done++
					}
				}
				return nil
			})
			if err != nil {
				return n, err
			}
			n += done
			if len(found) < batch {
				break
			}
			after = found[len(found)-1].Row
		}
	}
	return n, nil
}

func reseal(ctx context.Context, tx *store.Tx, ring *secrets.Keyring, column store.SealedColumn,
	t store.SealedToken) error {
	purpose, row := bindingOf(column, t)
	plain, err := ring.Open(purpose, row, t.Token)
	if err != nil {
		return fmt.Errorf("rekey: %s %s: %w", column, t.Name, err)
	}
	return tx.Tokens.Reseal(ctx, column, t, ring.Seal(purpose, row, plain), ring.KeyID())
}

func bindingOf(column store.SealedColumn, t store.SealedToken) (secrets.Purpose, string) {
	switch column {
	case store.SealedValues, store.SealedSuperseded:
		return secrets.Values, secrets.ValueRow(t.Name, t.Number)
	case store.SealedProfiles:
		return secrets.Profiles, secrets.ProfileRow(t.Name)
	case store.SealedExecutions:
		return secrets.Execs, secrets.ExecutionRow(t.Name)
	case store.SealedScripts:
		return secrets.Scripts, secrets.ScriptRow(t.Name)
	case store.SealedInputs:
		return secrets.Scripts, secrets.InputsRow(t.Name)
	case store.SealedAnswers:
		return secrets.Scripts, secrets.AnswerRow(t.Name)
	case store.SealedBlobs:
		return secrets.Blobs, secrets.BlobRow(t.Name)
	case store.SealedSettings:
		return secrets.Settings, t.Name
	}
	panic("rekey: unknown column " + string(column))
}
