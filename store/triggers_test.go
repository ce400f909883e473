package store

import (
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
)

// plant makes one locked profile with a linked key, its policy, one execution and one audit event,
// with plain SQL.
func plant(t *testing.T, s *Store) {
	t.Helper()
	for _, sql := range []string{
		`INSERT INTO credentials (id, name, mode, created_at, updated_at)
			VALUES ('c', 'C', 'plain', 1, 1), ('d', 'D', 'plain', 1, 1)`,
		`INSERT INTO credential_versions VALUES ('c', 1, x'00', 'k', '{}', 1)`,
		`INSERT INTO profiles (id, lookup, sealed_id, handle, created_by, created_at, updated_at)
			VALUES (1, x'01', x'01', 'p', '{}', 1, 1)`,
		`INSERT INTO profile_keys (profile_id, name, position, credential_id, created_at) VALUES (1, 'C', 0, 'c', 1)`,
		`INSERT INTO policies VALUES ('p', 1, '{}', '', '{}', 1)`,
		`UPDATE profiles SET locked = 1, policy = 1`,
		`INSERT INTO executions (id, handle, lookup, sealed_id, profile_id, profile_handle, policy, timeout_ms, created_at)
			VALUES (1, 'x', x'01', x'01', 1, 'p', 1, 1, 1)`,
		`INSERT INTO idempotency VALUES (1, x'01', x'01', 1, 1)`,
	} {
		if err := s.writer.Exec(sql).Error; err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	if err := s.Write(t.Context(), func(tx *Tx) error {
		return tx.Audit(t.Context(), app.Event{At: time.UnixMilli(1), Actor: app.System(), Action: "a"})
	}); err != nil {
		t.Fatal(err)
	}
}

func TestDatabaseRefusesWhatMustNeverHappen(t *testing.T) {
	s := open(t)
	plant(t, s)
	if err := s.writer.Exec("UPDATE profiles SET revoked = 1").Error; err != nil {
		t.Fatal(err)
	}
	for sql, want := range map[string]string{
		`UPDATE policies SET body = '[]'`: "policy versions never change",
		`UPDATE profiles SET locked = 0`:  "never unlocks",
		`UPDATE profiles SET revoked = 0`: "stays revoked",
		`UPDATE profiles SET policy = 0`:  "CHECK",
		`INSERT INTO profile_keys (profile_id, name, position, created_at) VALUES (1, 'N', 0, 1)`: "keys of a locked profile",
		`DELETE FROM profile_keys`:                    "keys of a locked profile",
		`UPDATE profile_keys SET name = 'N'`:          "keys of a locked profile",
		`UPDATE profile_keys SET credential_id = 'd'`: "keys of a locked profile",
		`UPDATE profile_keys SET hosts = '[{}]'`:      "keys of a locked profile",
		`UPDATE profile_keys SET mode = 'plain'`:      "keys of a locked profile",
		`UPDATE audit_events SET detail = 'x'`:        "never change",
		`DELETE FROM audit_events`:                    "never deleted",
		`UPDATE executions SET status = 'nonsense'`:   "can not take that status",
		// without completed_at
		`UPDATE executions SET status = 'error'`:                                                       "CHECK",
		`UPDATE executions SET completed_at = 1`:                                                       "CHECK",
		`INSERT INTO profile_keys (profile_id, name, position, created_at) VALUES (99, 'N', 0, 1)`:     "foreign key",
		`INSERT INTO credential_versions VALUES ('c', 'one', x'00', 'k', '{}', 1)`:                     "cannot store TEXT",
		`INSERT INTO credentials (id, name, mode, created_at, updated_at) VALUES ('e','E','open',1,1)`: "CHECK",
		`INSERT INTO credentials (id, name, mode, hosts, created_at, updated_at)
			VALUES ('e','E','plain','no',1,1)`: "CHECK",
	} {
		if err := s.writer.Exec(sql).Error; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", sql, err, want)
		}
	}
}

func TestStatusesFollowTheArrowsOfTheStateMachine(t *testing.T) {
	s := open(t)
	plant(t, s)
	force := "PRAGMA ignore_check_constraints = ON; DROP TRIGGER executions_follow_arrows;"
	var trigger string
	if err := s.writer.Raw("SELECT sql FROM sqlite_schema WHERE name = 'executions_follow_arrows'").Scan(
		&trigger).Error; err != nil {
		t.Fatal(err)
	}
	for _, from := range app.Statuses() {
		for _, to := range app.Statuses() {
			if err := s.writer.Exec(force+"UPDATE executions SET status = ?;"+trigger, from).Error; err != nil {
				t.Fatal(err)
			}
			err := s.writer.Exec("UPDATE executions SET status = ?", to).Error
			if want := from == to || from.CanBecome(to); (err == nil) != want {
				t.Errorf("%s to %s: %v, allowed should be %v", from, to, err, want)
			}
		}
	}
}

func TestDeletingKeepsHistory(t *testing.T) {
	s := open(t)
	plant(t, s)
	if err := s.writer.Exec("DELETE FROM credentials WHERE id = 'c'").Error; err != nil {
		t.Fatalf("a credential of a locked profile: %v", err)
	}
	if n := count(t, s, "SELECT count(*) FROM profile_keys WHERE credential_id IS NULL"); n != 1 {
		t.Error("the key is still linked")
	}
	if n := count(t, s, "SELECT count(*) FROM credential_versions"); n != 0 {
		t.Error("values outlive their credential")
	}
	if err := s.writer.Exec("DELETE FROM profiles").Error; err != nil {
		t.Fatalf("a locked profile: %v", err)
	}
	for table, want := range map[string]int{"profile_keys": 0, "idempotency": 0, "policies": 1,
		"executions WHERE profile_id IS NULL AND profile_handle = 'p'": 1} {
		if n := count(t, s, "SELECT count(*) FROM "+table); n != want {
			t.Errorf("%s: %d rows, want %d", table, n, want)
		}
	}
}

func TestHotQueriesUseIndexes(t *testing.T) {
	s := open(t)
	for query, index := range map[string]string{
		"SELECT id FROM executions WHERE status = 'pending' ORDER BY id LIMIT 1": "executions_status",
		"SELECT id FROM executions WHERE profile_handle = 'p' AND id < 9 " +
			"ORDER BY id DESC LIMIT 50": "executions_profile",
		"SELECT id FROM executions WHERE profile_handle = 'p' AND status = 'error' AND id < 9 " +
			"ORDER BY id DESC LIMIT 50": "executions_profile_status",
		"SELECT id FROM executions WHERE status = 'error' AND id < 9 " +
			"ORDER BY id DESC LIMIT 50": "executions_status",
		"SELECT id FROM executions WHERE created_at BETWEEN 1 AND 2 " +
			"ORDER BY created_at DESC LIMIT 50": "executions_created",
		"SELECT * FROM executions WHERE lookup = x'00'":                       "sqlite_autoindex_executions",
		"SELECT * FROM profiles WHERE lookup = x'00'":                         "sqlite_autoindex_profiles",
		"SELECT * FROM llm_exchanges WHERE execution_id = 1 ORDER BY ordinal": "sqlite_autoindex_llm_exchanges",
		"SELECT * FROM audit_events WHERE seq < 9 ORDER BY seq DESC LIMIT 50": "PRIMARY KEY",
		"SELECT count(*) FROM profiles WHERE claimed_at = 0 AND revoked = 0 " +
			"AND json_extract(created_by, '$.kind')='agent'": "profiles_unclaimed",
	} {
		var plan []struct{ Detail string }
		if err := s.reader.Raw("EXPLAIN QUERY PLAN " + query).Scan(&plan).Error; err != nil {
			t.Fatal(err)
		}
		details := ""
		for _, p := range plan {
			details += p.Detail + "\n"
		}
		if !strings.Contains(details, index) || strings.Contains(details, "TEMP B-TREE") {
			t.Errorf("%s:\n%swant %s and no sorting", query, details, index)
		}
	}
}
