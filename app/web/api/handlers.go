package api

import (
	"log/slog"
	"time"

	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/live"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/shares"
	appskills "github.com/computclaw/airlock/app/skills"
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
	Answers *httpx.Places

	Retention         retention.Policy
	ProfilesPerMinute int // that one address may create
}

// Handlers serve the agent API. They are safe for concurrent use.
type Handlers struct {
	Config
	creation     *httpx.RateLimiter // of profiles
	changes      *httpx.RateLimiter // of profiles
	skillUploads *httpx.RateLimiter
	fileUploads  *shares.Shares // by profile
	skillFiles   *shares.Turns  // in memory, by profile
}

// New returns Handlers.
func New(cfg Config) *Handlers {
	return &Handlers{
		Config:       cfg,
		creation:     httpx.NewRateLimiter(cfg.ProfilesPerMinute, cfg.Now),
		changes:      httpx.NewRateLimiter(ChangesPerMinute, cfg.Now),
		skillUploads: httpx.NewRateLimiter(skillUploadsPerMinute, cfg.Now),
		fileUploads:  shares.New(uploadsAtOnce),
		skillFiles:   appskills.NewTurns(),
	}
}

// Routes returns the whole agent API. With a bearer, a profile's id may be "self".
func (h *Handlers) Routes() []httpx.Route {
	return []httpx.Route{
		httpx.Post("/profiles", h.createProfile),
		httpx.Get("/profiles/:id", h.readProfile),
		httpx.Post("/profiles/:id/keys", h.serveChange(h.addKeys)),
		httpx.Delete("/profiles/:id/keys/:name", h.serveChange(h.removeKey)),
		httpx.Post("/profiles/:id/hosts", h.serveChange(h.proposeHosts)),
		httpx.Delete("/profiles/:id/hosts/:host", h.serveChange(h.withdrawHost)),

		httpx.Post("/execute", h.execute),
		httpx.Get("/executions", h.listExecutions),
		httpx.Get("/executions/:id", h.readExecution),
		httpx.Post("/executions/:id/respond", h.respond),
		httpx.Post("/executions/:id/cancel", h.cancel),
		httpx.Post("/executions/:id/rerun", h.rerun),

		httpx.Get("/executions/:id/artifacts.tar.gz", h.allArtifacts),
		httpx.Get("/executions/:id/artifacts/:name", h.artifact),

		httpx.Post(UploadPath, h.serveExecuting(h.uploadFile, "name")),
		httpx.Get("/files", h.serveExecuting(h.listFiles)),
		httpx.Delete("/files/:id", h.serveExecuting(h.deleteFile)),

		httpx.Post(SkillsPath, h.serveExecuting(h.uploadSkill)),
		httpx.Get(SkillsPath, h.usable(h.listSkills, "include")),
		httpx.Get("/skills/:name", h.usable(h.readSkill)),
		httpx.Get("/skills/:name/bundle.zip", h.serveExecuting(h.downloadSkill)),

		httpx.Get("/health", h.health),
		httpx.Get("/packages", h.packages),
		httpx.Get("/skill.md", h.manual),
		httpx.Get("/openapi.json", h.openAPI),
		httpx.Get("/airlock.pyi", h.stubs),
	}
}
