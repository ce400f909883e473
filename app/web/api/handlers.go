package api

import (
	"log/slog"
	"time"

	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/shares"
	"github.com/computclaw/airlock/app/web/httpx"
)

// ChangesPerMinute bounds profile changes by one address. Each adds an audit row.
const ChangesPerMinute = 120

// Config is what Handlers need.
type Config struct {
	Access  *access.Parts
	Engine  *engine.Engine
	Hub     *live.Hub
	Log     *slog.Logger
	Now     func() time.Time
	Version string

	Origins httpx.Origins
	Drain   *httpx.Drain
	Waits   *shares.Shares // long polls, by profile
	Answers *httpx.AnswerLimiter

	Retention         retention.Policy
	ProfilesPerMinute int // that one address may create
}

// Handlers serve the agent API. They are safe for concurrent use.
type Handlers struct {
	profiles   *profiles
	executions *executions
	instance   *instance
	files      *fileCalls
	skills     *skills
}

// New returns Handlers.
func New(cfg Config) *Handlers {
	lookup := lookup{access: cfg.Access, engine: cfg.Engine}
	return &Handlers{
		profiles: &profiles{
			lookup: lookup, access: cfg.Access, hub: cfg.Hub, now: cfg.Now,
			origins: cfg.Origins, drain: cfg.Drain, waits: cfg.Waits,
			creation: httpx.NewRateLimiter(cfg.ProfilesPerMinute, cfg.Now),
			changes:  httpx.NewRateLimiter(ChangesPerMinute, cfg.Now),
		},
		executions: &executions{
			lookup: lookup, access: cfg.Access, engine: cfg.Engine, now: cfg.Now,
			origins: cfg.Origins, drain: cfg.Drain, waits: cfg.Waits, answers: cfg.Answers,
		},
		files: &fileCalls{lookup: lookup, now: cfg.Now, uploads: shares.New(uploadsAtOnce)},
		skills: &skills{lookup: lookup, origins: cfg.Origins, now: cfg.Now,
			changes: httpx.NewRateLimiter(skillUploadsPerMinute, cfg.Now),
			memory:  shares.NewTurns(skillsAtOnce, shares.New(skillsWaiting), errTooManySkills)},
		instance: &instance{
			lookup: lookup, access: cfg.Access, engine: cfg.Engine, log: cfg.Log, now: cfg.Now,
			origins: cfg.Origins, version: cfg.Version, retention: cfg.Retention,
		},
	}
}

// Routes returns the whole agent API. With a bearer, a profile's id may be "self".
func (h *Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Post("/profiles", h.profiles.create),
		httpx.Get("/profiles/:id", h.profiles.read),
		httpx.Post("/profiles/:id/keys", h.profiles.addKeys),
		httpx.Delete("/profiles/:id/keys/:name", h.profiles.removeKey),
		httpx.Post("/profiles/:id/hosts", h.profiles.proposeHosts),
		httpx.Delete("/profiles/:id/hosts/:host", h.profiles.withdrawHost),

		httpx.Post("/execute", h.executions.execute),
		httpx.Get("/executions", h.executions.list),
		httpx.Get("/executions/:id", h.executions.read),
		httpx.Post("/executions/:id/respond", h.executions.respond),
		httpx.Post("/executions/:id/cancel", h.executions.cancel),
		httpx.Post("/executions/:id/rerun", h.executions.rerun),

		httpx.Get("/executions/:id/artifacts.tar.gz", h.executions.allArtifacts),
		httpx.Get("/executions/:id/artifacts/:name", h.executions.artifact),

		httpx.Post(UploadPath, h.files.upload),
		httpx.Get("/files", h.files.list),
		httpx.Delete("/files/:id", h.files.remove),

		httpx.Post(SkillsPath, h.skills.upload),
		httpx.Get(SkillsPath, h.skills.list),
		httpx.Get("/skills/:name", h.skills.read),
		httpx.Get("/skills/:name/bundle.zip", h.skills.download),

		httpx.Get("/health", h.instance.health),
		httpx.Get("/packages", h.instance.packages),
		httpx.Get("/skill.md", h.instance.skill),
		httpx.Get("/openapi.json", h.instance.openAPI),
		httpx.Get("/airlock.pyi", h.instance.stubs),
	}
}
