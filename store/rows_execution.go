package store

// Rows of what ran. Columns are described in the migrations. The JSON names are those of .airlock
// files (docs/airlock-file.md), where what is sealed or belongs to this database travels in another
// form: see dump.go and load.go.

type executionRow struct {
	ID                 int64  `gorm:"primaryKey" json:"-"`
	Handle             string `json:"handle"`
	Lookup             []byte `json:"-"`
	SealedID           []byte `json:"-"`
	ProfileID          *int64 `json:"-"`
	ProfileHandle      string `json:"profile_handle"`
	ProfileDescription string `json:"profile_description"`
	Policy             int    `json:"policy"`
	Status             string `json:"status"`
	TimeoutMs          int64  `json:"timeout_ms"`
	Error              string `json:"error"`
	ErrorLine          int    `json:"error_line"`
	Backend            string `json:"backend"`
	Isolation          string `json:"isolation"`
	Warm               bool   `json:"warm"`
	Truncated          bool   `json:"truncated"`
	Redactions         int    `json:"redactions"`
	Injected           string `json:"injected"`
	RerunOf            string `json:"rerun_of"`
	SubmittedBy        string `json:"submitted_by"`
	ClaimedBy          string `json:"-"`
	CreatedAt          int64  `gorm:"autoCreateTime:false" json:"created_at"`
	ClaimedAt          int64  `json:"claimed_at"`
	StartedAt          int64  `json:"started_at"`
	FirstOutputAt      int64  `json:"first_output_at"`
	CompletedAt        int64  `json:"completed_at"`
	RunMs              int64  `json:"run_ms"`
	LLMMs              int64  `gorm:"column:llm_ms" json:"llm_ms"`
	CPUMs              int64  `gorm:"column:cpu_ms" json:"cpu_ms"`
	PeakMemory         int64  `json:"peak_memory"`
	Manifest           string `json:"manifest"`
	Live               bool   `json:"live"`
	Trace              string `json:"-"`
	Label              string `json:"label"`
	Approval           string `json:"-"`
	Skill              string `json:"skill"`
	SkillDigest        string `json:"skill_digest"`
}

func (executionRow) TableName() string { return "executions" }

type executionScriptRow struct {
	ExecutionID int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Script      []byte `json:"-"`
	Inputs      []byte `json:"-"`
	Clean       string `json:"clean"`
	CleanInputs string `json:"clean_inputs"`
}

func (executionScriptRow) TableName() string { return "execution_scripts" }

type executionOutputRow struct {
	ExecutionID int64   `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Stdout      string  `json:"stdout"`
	Stderr      string  `json:"stderr"`
	Result      *string `json:"result"`
	Segments    string  `json:"segments"`
}

func (executionOutputRow) TableName() string { return "execution_outputs" }

type executionValueRow struct {
	ExecutionID    int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Key            string `gorm:"primaryKey" json:"key"`
	CredentialID   string `json:"credential_id"`
	CredentialName string `json:"credential_name"`
	Version        int    `json:"version"`
	Mode           string `json:"mode"`
}

func (executionValueRow) TableName() string { return "execution_values" }

type llmExchangeRow struct {
	ExecutionID int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Ordinal     int    `gorm:"primaryKey;autoIncrement:false" json:"ordinal"`
	RequestID   string `json:"request_id"`
	Prompt      string `json:"prompt"`
	Model       string `json:"model"`
	Response    string `json:"response"`
	Answer      []byte `json:"-"`
	Failed      bool   `json:"failed"`
	AnsweredBy  string `json:"answered_by"`
	AskedAt     int64  `json:"asked_at"`
	AnsweredAt  int64  `json:"answered_at"`
	Asked       []byte `json:"-"`
}

func (llmExchangeRow) TableName() string { return "llm_exchanges" }

type connectionRow struct {
	ExecutionID int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Ordinal     int    `gorm:"primaryKey;autoIncrement:false" json:"ordinal"`
	Host        string `json:"host"`
	Port        int    `json:"port"`
	Verdict     string `json:"verdict"`
	Rule        string `json:"rule"`
	Address     string `json:"address"`
	Method      string `json:"method"`
	Path        string `json:"path"`
	Status      int    `json:"status"`
	Credentials string `json:"credentials"`
	BytesUp     int64  `json:"bytes_up"`
	BytesDown   int64  `json:"bytes_down"`
	StartedAt   int64  `json:"started_at"`
	DurationMs  int64  `json:"duration_ms"`
	Count       int    `json:"count"`
	Line        int    `json:"line"`
}

func (connectionRow) TableName() string { return "connections" }

type redactionHitRow struct {
	ExecutionID int64  `gorm:"primaryKey;autoIncrement:false" json:"-"`
	Channel     string `gorm:"primaryKey" json:"channel"`
	Name        string `gorm:"primaryKey" json:"name"`
	Rule        string `gorm:"primaryKey" json:"rule"`
	Encoding    string `gorm:"primaryKey" json:"encoding"`
	Count       int    `json:"count"`
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

type executionStatsRow struct {
	ProfileHandle      string `gorm:"primaryKey" json:"profile_handle"`
	Span               int64  `gorm:"primaryKey;autoIncrement:false" json:"span"`
	Start              int64  `gorm:"primaryKey;autoIncrement:false" json:"start"`
	ProfileDescription string `json:"profile_description"`
	Completed          int64  `json:"completed"`
	Error              int64  `json:"error"`
	Timeout            int64  `json:"timeout"`
	Cancelled          int64  `json:"cancelled"`
	Started            int64  `json:"started"`
	RunMs              int64  `json:"run_ms"`
	LLMMs              int64  `gorm:"column:llm_ms" json:"llm_ms"`
	Redactions         int64  `json:"redactions"`
	Durations          string `json:"durations"`
}

func (executionStatsRow) TableName() string { return "execution_stats" }

type pastBeatRow struct {
	ProfileHandle string `gorm:"primaryKey"`
	ID            int64  `gorm:"primaryKey;autoIncrement:false"`
	Status        string
	CreatedAt     int64 `gorm:"autoCreateTime:false"`
	RunMs         int64
}

func (pastBeatRow) TableName() string { return "past_beats" }
