package store

import (
	"context"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
)

// Beat is one execution in a profile's heartbeat.
type Beat struct {
	Handle    string
	Status    app.Status
	CreatedAt time.Time
	RunTime   time.Duration
}

const selectBeats = `SELECT p.value AS profile, x.handle, x.status, x.created_at, x.run_ms
	FROM json_each(?) p JOIN executions x ON x.id IN (SELECT id FROM executions WHERE profile_handle = p.value ORDER BY id DESC LIMIT ?)
	ORDER BY x.id`

// Beats returns the last executions of each profile, oldest first, at most limit of each. It reads no more rows than that, however many there are.
func (tx *Tx) Beats(ctx context.Context, profiles []string, limit int) (map[string][]Beat, error) {
	var rows []struct {
		Profile   string
		Handle    string
		Status    string
		CreatedAt int64
		RunMs     int64
	}
	if err := tx.db.WithContext(ctx).Raw(selectBeats, toJSON(append([]string{}, profiles...)), limit).Scan(&rows).Error; err != nil {
		return nil, fmt.Errorf("store: read beats: %w", err)
	}
	beats := map[string][]Beat{}
	for _, r := range rows {
		beats[r.Profile] = append(beats[r.Profile], Beat{r.Handle, app.Status(r.Status), fromMillis(r.CreatedAt), time.Duration(r.RunMs) * time.Millisecond})
	}
	return beats, nil
}
