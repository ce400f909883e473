package store

// Rows of backups and of what came with imports. Columns are described in the migrations.

type backupRow struct {
	ID         int64 `gorm:"primaryKey"`
	Cause      string
	StartedBy  string
	SlotAt     int64
	Status     string
	Target     string
	Name       string
	Size       int64
	Counts     string
	Error      string
	StartedAt  int64
	FinishedAt int64
}

func (backupRow) TableName() string { return "backups" }

type auditArchiveRow struct {
	Source       string `gorm:"primaryKey"`
	Seq          int64  `gorm:"primaryKey;autoIncrement:false"`
	At           int64
	ActorKind    string
	ActorName    string
	ActorAddress string
	Action       string
	Subject      string
	Detail       string
	Prev         string
	Hash         string
}

func (auditArchiveRow) TableName() string { return "audit_archive" }
