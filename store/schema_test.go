package store

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm/schema"
)

// rowTypes has one row type per table.
func rowTypes() []any {
	return []any{
		settingRow{}, credentialRow{}, credentialVersionRow{}, supersededValueRow{}, valueChangesRow{}, profileRow{},
		profileKeyRow{}, profileHostRow{}, policyRow{},
		adminSessionRow{}, personRow{}, invitationRow{}, auditEventRow{},
		executionRow{}, executionScriptRow{}, executionOutputRow{}, executionValueRow{}, llmExchangeRow{}, connectionRow{},
		redactionHitRow{}, idempotencyRow{}, executionStatsRow{}, pastBeatRow{},
		backupRow{}, auditArchiveRow{}, vaultLeaseRow{},
		blobRow{}, fileRow{}, executionFileRow{}, artifactRow{},
		approvalRow{},
		skillRow{}, skillVersionRow{}, skillProfileRow{},
	}
}

// column is what a row type and a table must agree on.
type column struct {
	Name     string
	Type     string
	Nullable bool
	Primary  bool
}

func TestSchemaMatchesModels(t *testing.T) {
	s := open(t)
	var tables []string
	if err := s.reader.Raw("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name " +
		"<> 'schema_migrations' AND name NOT LIKE 'execution_words%'").Scan(&tables).Error; err != nil {
		t.Fatal(err)
	}
	for _, row := range rowTypes() {
		parsed, err := schema.Parse(row, &sync.Map{}, schema.NamingStrategy{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.Index(tables, parsed.Table)
		if i < 0 {
			t.Errorf("%T: no table %s", row, parsed.Table)
			continue
		}
		tables = slices.Delete(tables, i, i+1)
		if diff := cmp.Diff(tableColumns(t, s, parsed.Table), modelColumns(parsed)); diff != "" {
			t.Errorf("%s: table (-) and row type (+) differ:\n%s", parsed.Table, diff)
		}
	}
	if len(tables) > 0 {
		t.Errorf("tables without a row type: %v", tables)
	}
}

func tableColumns(t *testing.T, s *Store, table string) []column {
	t.Helper()
	var info []struct {
		Name    string
		Type    string
		Notnull bool
		Pk      int
	}
	if err := s.reader.Raw(fmt.Sprintf("PRAGMA table_info(%s)", table)).Scan(&info).Error; err != nil {
		t.Fatal(err)
	}
	var columns []column
	for _, c := range info {
		columns = append(columns, column{c.Name, c.Type, !c.Notnull && c.Pk == 0, c.Pk > 0})
	}
	return columns
}

func modelColumns(s *schema.Schema) []column {
	var columns []column
	for _, f := range s.Fields {
		kind := map[schema.DataType]string{schema.String: "TEXT", schema.Int: "INTEGER", schema.Bool: "INTEGER",
			schema.Bytes: "BLOB"}[f.DataType]
		columns = append(columns, column{f.DBName, kind, nullable[s.Table+"."+f.DBName], f.PrimaryKey})
	}
	return columns
}

// nullable lists the columns in which NULL has a meaning; their row fields are pointers or byte
// slices.
var nullable = map[string]bool{
	"credential_versions.value":  true,
	"profile_keys.credential_id": true,
	"executions.profile_id":      true,
	"execution_files.blob_id":    true,
	"artifacts.blob_id":          true,
	"skill_versions.blob_id":     true,
	"execution_scripts.inputs":   true,
	"execution_outputs.result":   true,
	"llm_exchanges.answer":       true,
	"llm_exchanges.asked":        true,
}
