package plugins

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/computclaw/airlock/plugins/proto"
)

func limitsToProto(l Limits) *proto.Limits {
	return &proto.Limits{Memory: l.Memory, Cpu: l.CPU, Pids: l.Pids, Tmp: l.Tmp, Files: l.Files}
}

func limitsFromProto(l *proto.Limits) Limits {
	return Limits{Memory: l.GetMemory(), CPU: l.GetCpu(), Pids: l.GetPids(), Tmp: l.GetTmp(), Files: l.GetFiles()}
}

func specToProto(s Spec) *proto.Spec {
	return &proto.Spec{Id: s.ID, Limits: limitsToProto(s.Limits), Runtime: s.Runtime, Fresh: s.Fresh,
		Imports: s.Imports}
}

func specFromProto(s *proto.Spec) Spec {
	return Spec{ID: s.GetId(), Limits: limitsFromProto(s.GetLimits()), Runtime: s.GetRuntime(), Fresh: s.GetFresh(),
		Imports: s.GetImports()}
}

func configToProto(c Config, id string) *proto.CheckRequest {
	return &proto.CheckRequest{Id: id, Instance: c.Instance, StateDir: c.StateDir, Settings: c.Settings,
		Limits: limitsToProto(c.Limits)}
}

func configFromProto(r *proto.CheckRequest) Config {
	return Config{Instance: r.GetInstance(), StateDir: r.GetStateDir(), Settings: r.GetSettings(),
		Limits: limitsFromProto(r.GetLimits())}
}

func reportToProto(r Report) *proto.CheckResponse {
	out := &proto.CheckResponse{
		Name: r.Name, Version: r.Version, Ready: r.Ready, Reason: r.Reason, Tier: string(r.Tier), Enforced: r.Enforced,
		Runtime: r.Runtime, Images: r.Images, Notes: r.Notes, Templates: r.Templates,
	}
	for _, c := range r.Controls {
		out.Controls = append(out.Controls,
			&proto.Control{Name: c.Name, Proved: c.Proved, Detail: c.Detail, Fix: c.Fix,
				NotApplicable: c.NotApplicable})
	}
	return out
}

func reportFromProto(r *proto.CheckResponse) Report {
	out := Report{
		Name: r.GetName(), Version: r.GetVersion(), Ready: r.GetReady(), Reason: r.GetReason(), Tier: Tier(r.GetTier()),
		Enforced: r.GetEnforced(), Runtime: r.GetRuntime(), Images: r.GetImages(), Notes: notes(r.GetNotes()),
		Templates: r.GetTemplates(),
	}
	for _, c := range r.GetControls() {
		out.Controls = append(out.Controls,
			Control{Name: c.GetName(), Proved: c.GetProved(), Detail: c.GetDetail(), Fix: c.GetFix(),
				NotApplicable: c.GetNotApplicable()})
	}
	return out
}

// notes drops notes that are too long or hold control characters. Agents read them.
func notes(list []string) []string {
	list = slices.DeleteFunc(list, func(note string) bool {
		return len(note) > MaxNote || strings.ContainsFunc(note, unicode.IsControl)
	})
	return list[:min(len(list), MaxNotes)]
}

func exitToProto(e Exit) *proto.Exit {
	return &proto.Exit{
		Code: int32(e.Code), Signal: int32(e.Signal), Reason: string(e.Reason), PeakMemory: e.PeakMemory,
		CpuTimeNanos: e.CPUTime.Nanoseconds(), PidsHit: e.PidsHit, Diagnostic: e.Diagnostic,
	}
}

func exitFromProto(e *proto.Exit) Exit {
	return Exit{
		Code: int(e.GetCode()), Signal: int(e.GetSignal()), Reason: Reason(e.GetReason()),
		PeakMemory: count(e.GetPeakMemory()),
		CPUTime:    time.Duration(count(e.GetCpuTimeNanos())), PidsHit: e.GetPidsHit(), Diagnostic: e.GetDiagnostic(),
	}
}

func usageToProto(u Usage) *proto.UsageResponse {
	return &proto.UsageResponse{PeakMemory: u.PeakMemory, CpuTimeNanos: u.CPUTime.Nanoseconds(), LimitHit: u.LimitHit}
}

func usageFromProto(u *proto.UsageResponse) Usage {
	return Usage{PeakMemory: count(u.GetPeakMemory()), CPUTime: time.Duration(count(u.GetCpuTimeNanos())),
		LimitHit: u.GetLimitHit()}
}

// maxCount is the largest integer that all JSON readers hold exactly. Counts are stored and written
// into backups.
const maxCount = 1 << 53

// count bounds a number that a plugin or another machine says.
func count(n int64) int64 { return min(max(n, 0), maxCount) }

// toRPC converts a backend's error for its host. fromRPC adds the prefix again.
func toRPC(err error) error {
	code, known := codes.Unknown, error(nil)
	switch {
	case errors.Is(err, ErrCut):
		code, known = codes.Aborted, ErrCut
	case errors.Is(err, ErrLost):
		code, known = codes.Unavailable, ErrLost
	default:
		return status.Error(code, err.Error())
	}
	return status.Error(code, strings.TrimPrefix(err.Error(), known.Error()+": "))
}

// fromRPC converts a gRPC error: ErrLost for a lost plugin, ErrCut for a cut connection, else the
// backend's text.
func fromRPC(err error) error {
	if err == nil {
		return nil
	}
	s, ok := status.FromError(err)
	if !ok {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	switch s.Code() {
	case codes.Unknown, codes.InvalidArgument, codes.FailedPrecondition, codes.Unimplemented:
		return errors.New(s.Message())
	case codes.Aborted:
		return fmt.Errorf("%w: %s", ErrCut, s.Message())
	default:
		return fmt.Errorf("%w: %s", ErrLost, s.Message())
	}
}
