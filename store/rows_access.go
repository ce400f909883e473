package store

// Rows of what people and agents arrange. Columns are described in the migrations.

type settingRow struct {
	Key       string `gorm:"primaryKey"`
	Value     []byte
	Sealed    bool
	UpdatedAt int64 `gorm:"autoUpdateTime:false"`
}

func (settingRow) TableName() string { return "settings" }

type credentialRow struct {
	ID          string `gorm:"primaryKey"`
	Name        string
	Description string
	Service     string
	Mode        string
	Hosts       string
	Places      string
	PlainHTTP   bool
	Source      string
	Reference   string
	Version     int
	KeyID       string
	ValueSetAt  int64
	CheckedAt   int64
	CheckError  string
	Uses        int64
	LastUsedAt  int64
	CreatedAt   int64 `gorm:"autoCreateTime:false"`
	UpdatedAt   int64 `gorm:"autoUpdateTime:false"`
	Headers     string
}

func (credentialRow) TableName() string { return "credentials" }

type credentialVersionRow struct {
	CredentialID string `gorm:"primaryKey"`
	Version      int    `gorm:"primaryKey;autoIncrement:false"`
	Value        []byte
	KeyID        string
	CreatedBy    string
	CreatedAt    int64 `gorm:"autoCreateTime:false"`
}

func (credentialVersionRow) TableName() string { return "credential_versions" }

type supersededValueRow struct {
	ID           int64 `gorm:"primaryKey"`
	CredentialID string
	Version      int
	Value        []byte
	Mode         string
	Hosts        string
	SupersededAt int64
}

func (supersededValueRow) TableName() string { return "superseded_values" }

type valueChangesRow struct {
	ID int64 `gorm:"primaryKey"`
	N  int64
}

func (valueChangesRow) TableName() string { return "value_changes" }

type profileRow struct {
	ID          int64 `gorm:"primaryKey"`
	Lookup      []byte
	SealedID    []byte
	Handle      string
	Description string
	PairingCode string
	CreatedBy   string
	CreatedFrom string
	ClaimedAt   int64
	Locked      bool
	LockedAt    int64
	Revoked     bool
	RevokedAt   int64
	ExpiresAt   int64
	Backend     string
	MinTier     string
	Image       string
	Policy      int
	Executions  int64
	LastUsedAt  int64
	CreatedAt   int64 `gorm:"autoCreateTime:false"`
	UpdatedAt   int64 `gorm:"autoUpdateTime:false"`
	// UpdatedAt as the revocation made it, so that it can be told whether anything changed since.
	RevisionRevoked int64
}

func (profileRow) TableName() string { return "profiles" }

type profileKeyRow struct {
	ProfileID    int64  `gorm:"primaryKey;autoIncrement:false"`
	Name         string `gorm:"primaryKey"`
	Position     int
	Description  string
	Mode         string
	Hosts        string
	CredentialID *string
	CreatedAt    int64 `gorm:"autoCreateTime:false"`
}

func (profileKeyRow) TableName() string { return "profile_keys" }

type profileHostRow struct {
	ProfileID int64  `gorm:"primaryKey;autoIncrement:false"`
	Entry     string `gorm:"primaryKey"`
	Position  int
	Host      string
	Allowed   bool
	AskedBy   string
	Execution string
	Line      int
	CreatedAt int64 `gorm:"autoCreateTime:false"`
}

func (profileHostRow) TableName() string { return "profile_hosts" }

type policyRow struct {
	ProfileHandle string `gorm:"primaryKey"`
	Version       int    `gorm:"primaryKey;autoIncrement:false"`
	Body          string
	Digest        string
	CreatedBy     string
	CreatedAt     int64 `gorm:"autoCreateTime:false"`
}

func (policyRow) TableName() string { return "policies" }

type adminSessionRow struct {
	ID          string `gorm:"primaryKey"`
	Token       []byte
	Person      string
	Address     string
	Agent       string
	CreatedAt   int64 `gorm:"autoCreateTime:false"`
	SeenAt      int64
	ConfirmedAt int64
	ExpiresAt   int64
	PersonID    string
	Invitation  string
}

func (adminSessionRow) TableName() string { return "admin_sessions" }

type personRow struct {
	ID            string `gorm:"primaryKey" json:"id"`
	Name          string `json:"name"`
	Folded        string `json:"folded"`
	Password      string `json:"password"`
	PasswordSetAt int64  `json:"password_set_at"`
	CreatedBy     string `json:"created_by"`
	CreatedAt     int64  `gorm:"autoCreateTime:false" json:"created_at"`
	LastLoginAt   int64  `json:"last_login_at"`
	LastLoginFrom string `json:"last_login_from"`
}

func (personRow) TableName() string { return "people" }

type invitationRow struct {
	ID        string `gorm:"primaryKey"`
	Token     []byte
	CreatedBy string
	CreatedAt int64 `gorm:"autoCreateTime:false"`
	ExpiresAt int64
}

func (invitationRow) TableName() string { return "invitations" }

type auditEventRow struct {
	Seq          int64  `gorm:"primaryKey" json:"seq"`
	At           int64  `json:"at"`
	ActorKind    string `json:"actor_kind"`
	ActorName    string `json:"actor_name"`
	ActorAddress string `json:"actor_address"`
	Action       string `json:"action"`
	Subject      string `json:"subject"`
	Detail       string `json:"detail"`
	Prev         string `json:"prev"`
	Hash         string `json:"hash"`
}

func (auditEventRow) TableName() string { return "audit_events" }
