package store

import "gorm.io/gorm"

// Tx is one transaction, for one goroutine, until its function returns. Each field is one
// aggregate.
type Tx struct {
	*conn
	Events      AuditLog
	Backups     Backups
	Credentials Credentials
	Values      Values
	Tokens      Tokens
	Executions  Executions
	Queue       Queue
	Stats       Stats
	Pruning     Pruning
	Questions   Questions
	Leases      Leases
	People      People
	Invitations Invitations
	Sessions    Sessions
	Profiles    Profiles
	Policies    Policies
	Settings    Settings
	Blobs       Blobs
	Files       Files
	Approvals   Approvals
	Skills      Skills
}

func newTx(db *gorm.DB) *Tx {
	c := &conn{db: db}
	return &Tx{
		conn:        c,
		Events:      AuditLog{c},
		Backups:     Backups{c},
		Credentials: Credentials{c},
		Values:      Values{c},
		Tokens:      Tokens{c},
		Executions:  Executions{c},
		Queue:       Queue{c},
		Stats:       Stats{c},
		Pruning:     Pruning{c},
		Questions:   Questions{c},
		Leases:      Leases{c},
		People:      People{c},
		Invitations: Invitations{c},
		Sessions:    Sessions{c},
		Profiles:    Profiles{c},
		Policies:    Policies{c},
		Settings:    Settings{c},
		Blobs:       Blobs{c},
		Files:       Files{c},
		Approvals:   Approvals{c},
		Skills:      Skills{c},
	}
}

// The aggregates.
type (
	// AuditLog reads and verifies the audit log.
	AuditLog struct{ *conn }

	// Backups keeps attempts of backups.
	Backups struct{ *conn }

	// Credentials keeps credentials without their values.
	Credentials struct{ *conn }

	// Values keeps the sealed values of credentials, present and superseded.
	Values struct{ *conn }

	// Tokens finds and replaces sealed tokens, whatever they are of.
	Tokens struct{ *conn }

	// Executions keeps executions and what hangs on them.
	Executions struct{ *conn }

	// Queue takes executions in and hands them out.
	Queue struct{ *conn }

	// Stats counts executions.
	Stats struct{ *conn }

	// Pruning removes old executions.
	Pruning struct{ *conn }

	// Questions keeps what scripts asked an LLM, and the answers.
	Questions struct{ *conn }

	// Leases keeps the leases of Vault that are to be given back.
	Leases struct{ *conn }

	// People keeps the people who may log in.
	People struct{ *conn }

	// Invitations keeps one-time tokens for new people.
	Invitations struct{ *conn }

	// Sessions keeps the sessions of people.
	Sessions struct{ *conn }

	// Profiles keeps profiles with their keys and hosts.
	Profiles struct{ *conn }

	// Policies keeps the versions of profiles' policies.
	Policies struct{ *conn }

	// Settings keeps the values that belong to the instance.
	Settings struct{ *conn }

	// Blobs keeps what lies in the storage of contents.
	Blobs struct{ *conn }

	// Files keeps what agents sent for their scripts.
	Files struct{ *conn }

	// Approvals keeps what people approved or refused, and what they are asked.
	Approvals struct{ *conn }

	// Skills keeps skills with their versions, and who may run them.
	Skills struct{ *conn }
)
