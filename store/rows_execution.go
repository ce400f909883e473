package store

// Rows of what ran. Columns are described in the migrations.

type executionRow struct {
	ID                 int64 `gorm:"primaryKey"`
	Handle             string
	Lookup             []byte
	SealedID           []byte
	ProfileID          *int64
	ProfileHandle      string
	ProfileDescription string
	Policy             int
	Status             string
	TimeoutMs          int64
	Error              string
	ErrorLine          int
	Backend            string
	Isolation          string
	Warm               bool
	Truncated          bool
	Redactions         int
	Injected           string
	RerunOf            string
	SubmittedBy        string
	ClaimedBy          string
	CreatedAt          int64 `gorm:"autoCreateTime:false"`
	ClaimedAt          int64
	StartedAt          int64
	FirstOutputAt      int64
	CompletedAt        int64
	RunMs              int64
	LLMMs              int64 `gorm:"column:llm_ms"`
	CPUMs              int64 `gorm:"column:cpu_ms"`
	PeakMemory         int64
	Manifest           string
}

func (executionRow) TableName() string { return "executions" }

type executionScriptRow struct {
	ExecutionID int64 `gorm:"primaryKey;autoIncrement:false"`
	Script      []byte
	Inputs      []byte
	Clean       string
}

func (executionScriptRow) TableName() string { return "execution_scripts" }

type executionOutputRow struct {
	ExecutionID int64 `gorm:"primaryKey;autoIncrement:false"`
	Stdout      string
	Stderr      string
	Result      *string
	Segments    string
}

func (executionOutputRow) TableName() string { return "execution_outputs" }

type executionValueRow struct {
	ExecutionID    int64  `gorm:"primaryKey;autoIncrement:false"`
	Key            string `gorm:"primaryKey"`
	CredentialID   string
	CredentialName string
	Version        int
	Mode           string
}

func (executionValueRow) TableName() string { return "execution_values" }

type llmExchangeRow struct {
	ExecutionID int64 `gorm:"primaryKey;autoIncrement:false"`
	Ordinal     int   `gorm:"primaryKey;autoIncrement:false"`
	RequestID   string
	Prompt      string
	Model       string
	Response    string
	Answer      []byte
	Failed      bool
	AnsweredBy  string
	AskedAt     int64
	AnsweredAt  int64
}

func (llmExchangeRow) TableName() string { return "llm_exchanges" }

type connectionRow struct {
	ExecutionID int64 `gorm:"primaryKey;autoIncrement:false"`
	Ordinal     int   `gorm:"primaryKey;autoIncrement:false"`
	Host        string
	Port        int
	Verdict     string
	Rule        string
	Address     string
	Method      string
	Path        string
	Status      int
	Credentials string
	BytesUp     int64
	BytesDown   int64
	StartedAt   int64
	DurationMs  int64
	Count       int
}

func (connectionRow) TableName() string { return "connections" }

type redactionHitRow struct {
	ExecutionID int64  `gorm:"primaryKey;autoIncrement:false"`
	Channel     string `gorm:"primaryKey"`
	Name        string `gorm:"primaryKey"`
	Rule        string `gorm:"primaryKey"`
	Encoding    string `gorm:"primaryKey"`
	Count       int
}

func (redactionHitRow) TableName() string { return "redaction_hits" }

type idempotencyRow struct {
	ProfileID   int64  `gorm:"primaryKey;autoIncrement:false"`
	Key         []byte `gorm:"primaryKey"`
	Body        []byte
	ExecutionID int64
	CreatedAt   int64 `gorm:"autoCreateTime:false"`
}

func (idempotencyRow) TableName() string { return "idempotency" }

type dailyStatsRow struct {
	ProfileHandle string `gorm:"primaryKey"`
	Day           int64  `gorm:"primaryKey;autoIncrement:false"`
	Completed     int64
	Error         int64
	Timeout       int64
	Cancelled     int64
	RunMs         int64
	RunMsMax      int64
	LLMMs         int64 `gorm:"column:llm_ms"`
	Durations     string
	Redactions    int64
}

func (dailyStatsRow) TableName() string { return "daily_stats" }
