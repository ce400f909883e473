package web

import (
	"context"

	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/settingsview"
)

// disk is how much room there is. Where it can't be told, nothing is said: what finds no room fails with its own error.
func (s *Server) disk(ctx context.Context) layout.Disk {
	room, err := s.cfg.Engine.Room(ctx)
	if err != nil && ctx.Err() == nil {
		s.cfg.Log.Error("the free space of the disk could not be read", "error", err)
	}
	return layout.Disk{Free: room.Free, Size: room.Size, Reserve: room.Reserve, Full: room.Full}
}

// retentionState is what the settings show of it.
func (s *Server) retentionState(ctx context.Context) (settingsview.RetentionState, error) {
	size, err := s.cfg.Engine.Stored(ctx)
	if err != nil {
		return settingsview.RetentionState{}, err
	}
	state := settingsview.RetentionState{Database: size.Bytes, Reusable: size.Reusable}
	if s.cfg.Retention == nil {
		return state, nil
	}
	now, err := s.cfg.Retention.Status(ctx)
	state.Days, state.Count, state.Superseded, state.PassedAt, state.Last, state.All = now.Policy.Days, now.Policy.Count, now.Policy.Superseded, now.PassedAt, int64(now.Last), now.All
	return state, err
}
