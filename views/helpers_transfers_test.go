package views_test

import (
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/backups"
	"github.com/computclaw/airlock/app/blobs"
	"github.com/computclaw/airlock/app/transfer"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/settingsview"
)

// night is when the last scheduled backup was due.
var night = noon.Add(-3 * time.Hour).Truncate(24 * time.Hour).Add(3 * time.Hour)

func backupName(at time.Time) string {
	return "airlock-a1b2-" + at.Format("20060102T150405.000Z") + ".airlock"
}

func failedBackupNeed() dashboardview.Need {
	return dashboardview.Need{Icon: "download", Title: "The last backup failed",
		Detail: "Put " + backupName(night) + ": no space left on device.", URL: paths.SettingsBackups,
		Action: "See backups", At: night}
}

func transferSamples() []sample {
	move := settingsview.MovePage{Shell: shell(settingsview.MoveTitle, layout.SectionSettings),
		Profiles:  []app.Profile{sampleProfiles()[1].Profile, sampleProfiles()[2].Profile, sampleProfiles()[3].Profile},
		Artifacts: 12_400_000, History: true, KeyFrom: "AIRLOCK_SECRET_KEY", KeyID: "k1f9c2a"}
	refused := move
	refused.History, refused.Left = false, true
	refused.Problems = components.Problems{"export-passphrase": "The passphrase has fewer than 12 characters. Use five " +
		"random words.", "import-passphrase": "Type the passphrase of the file.",
		"include-artifacts": "Artifacts belong to executions, which are left out. Take the executions too, or leave the artifacts out."}
	old := move
	old.Retired, old.By, old.KeyFrom, old.KeyRisk = ago(time.Hour), "Ada Lovelace", "/data/instance.key",
		"Key and data lie on the same disk: whoever copies the directory has both. Set AIRLOCK_SECRET_KEY to keep "+
			"them apart."
	old.Points = []transfer.RestorePoint{{Name: "before-import-20261121T101112.000Z.db", At: ago(26 * time.Hour),
		Size: 48 << 20}, {Name: "before-import-20261101T101112.000Z.db", At: ago(500 * time.Hour), Size: 3 << 30}}
	job := func(title string, change func(*settingsview.JobPage)) settingsview.JobPage {
		p := settingsview.JobPage{Shell: shell(title, layout.SectionSettings), ID: "j1", Title: title}
		change(&p)
		return p
	}
	point := layout.ConfirmPage{
		Shell:    shell("Delete a restore point", layout.SectionSettings),
		Question: "Delete the restore point from 21 November 2026, 10:11 UTC?", Action: "/ui/x",
		Back:   paths.SettingsMove,
		Button: "Delete the restore point from 21 November 2026, 10:11 UTC", Typed: "2026-11-21 10:11",
		Lines: []string{"You can no longer undo the import that followed it.",
			"This can't be undone. Backups and exports stay as they are."},
	}
	return append(slices.Concat(backupSamples(), lateSamples(), hostileSamples()), []sample{
		{"move", settingsview.Move(move), false},
		{"move-refused", settingsview.Move(refused), false},
		{"move-retired", settingsview.Move(old), false},
		{"move-point-delete", layout.Confirm(point), false},
		{"job-begun", settingsview.Job(job("Exporting", func(p *settingsview.JobPage) { p.Running = true })), false},
		{"job-running", settingsview.Job(
			job("Reading the file", func(p *settingsview.JobPage) {
				p.Running, p.Done, p.Total, p.Of = true, 31<<20, 48<<20,
					"48 MiB"
			})), false},
		{"job-failed", settingsview.Job(job("The file can't be read", func(p *settingsview.JobPage) {
			p.Failed = "The passphrase does not open the file. Check it and upload the file again."
		})), false},
		{"job-export", settingsview.Job(job("The export is ready", func(p *settingsview.JobPage) {
			p.Size, p.Lines = 12<<20,
				[]string{"It holds 14 credentials, 6 profiles, 1,284 executions.",
					"It can't be opened without the passphrase. You can download it for half an hour."}
		})), false},
		{"job-import", settingsview.Job(job("The import is done", func(p *settingsview.JobPage) {
			p.Lines = []string{"Written: 2 credentials, 1 profile, 412 executions.",
				"Agents keep their profile ids. Leave the old instance retired, so that no script runs twice, and " +
					"point its address here."}
		})), false},
		{"job-plan", settingsview.Job(
			job("Before you import", func(p *settingsview.JobPage) {
				p.Plan, p.Lines = samplePlan(),
					samplePlan().From
			})),
			false},
		{"job-plan-empty", settingsview.Job(
			job("Before you import", func(p *settingsview.JobPage) {
				p.Plan, p.Lines = &settingsview.Plan{}, samplePlan().From
			})), false},
	}...)
}

// samplePlan has items of all states.
func samplePlan() *settingsview.Plan {
	return &settingsview.Plan{
		From: []string{"The file was made on 22 November 2026, 08:12 UTC by instance a1b2 (airlock 0.1.0)."},
		History: "With its 1,284 executions, unless they are here already, and 2,210 events of its audit log, which " +
			"are kept apart from this one's",
		Items: []settingsview.PlanItem{
			{Field: "credential:STRIPE_RESTRICTED_KEY", Kind: "credential", Name: "STRIPE_RESTRICTED_KEY", State: "new",
				Choice: true, Yes: true, Fields: []string{"Mode: sealed", "Host: api.stripe.example"}},
			{Field: "credential:ORACLE_PASSWORD", Kind: "credential", Name: "ORACLE_PASSWORD", State: "different",
				Choice: true, Fields: []string{"Value: that of the file instead of that of this instance"}},
			{Field: "credential:ORACLE_DSN", Kind: "credential", Name: "ORACLE_DSN", State: "same"},
			{Field: "profile:h7", Kind: "profile", Name: "Monthly revenue report from Oracle", State: "different",
				Choice: true,
				Fields: []string{"Reaches: rates.example.org on ports 80 and 443", "Expires: never instead of 2026-12-31"}},
			{Field: "profile:x", Kind: "profile", Name: strings.Repeat("A profile with a long name ", 4), State: "new",
				Choice: true, Why: []string{"Its key K would get the credential K of this instance."}},
			{Kind: "profile", Name: "Support digest", State: "blocked",
				Why: []string{"It is revoked here, and stays so."}},
		},
	}
}

// backupSamples returns the backup page before, during and after success.
func backupSamples() []sample {
	none := settingsview.BackupsPage{Shell: shell("Backups", layout.SectionSettings), Artifacts: 12_400_000,
		Form: settingsview.BackupForm{BackupSettings: backups.BackupSettings{Every: "daily", Kind: "directory"}, Keep: "14"}}
	wrong := none
	wrong.Form = settingsview.BackupForm{Keep: "many", BackupSettings: backups.BackupSettings{On: true, Every: "daily", Kind: "s3",
		S3: blobs.S3{Endpoint: "https://s3.example.com", Bucket: "airlock", PathStyle: true}}}
	wrong.Problems = components.Problems{"keep": "The number of backups to keep is not from 1 to 1000. Type a number " +
		"such as 14.", "endpoint": "Backups can't be kept there: dial tcp 192.0.2.9:443: connection refused. " +
		"Nothing was saved. Correct it and save again."}
	set := none
	set.Form, set.Set, set.Place,
		set.Next = settingsview.BackupForm{Keep: "14", HasPassphrase: true,
		BackupSettings: backups.BackupSettings{On: true, Every: "daily", Kind: "directory", Directory: "/mnt/backups"}}, true, "to the directory /mnt/backups", night.Add(24*time.Hour)
	good := set
	before := night.Add(-24 * time.Hour)
	whole := "14 credentials, 6 profiles, 1,284 executions, in the directory /mnt/backups."
	good.Rows = []settingsview.BackupRow{
		{At: ago(time.Minute), Status: "running", Cause: "Ada Lovelace", Name: backupName(ago(time.Minute))},
		{At: night, Status: "verified", Cause: "Schedule", Name: backupName(night), Size: 12 << 20,
			Detail: whole},
		{At: before, Status: "verified", Cause: "Schedule", Name: backupName(before), Size: 12 << 20,
			Detail: whole},
		{At: before.Add(-72 * time.Hour), Status: "verified", Cause: "Schedule",
			Name: backupName(before.Add(-72 * time.Hour)), Size: 12 << 20, Detail: whole},
	}
	bad := good
	bad.Problem = "Put " + backupName(night) + ": no space left on device."
	bad.Rows = append([]settingsview.BackupRow{
		{At: night, Status: "failed", Cause: "Schedule", Name: backupName(night), Detail: bad.Problem},
		{At: before, Status: "missed", Cause: "Schedule",
			Detail: "2 backups were missed before " + before.Format("2006-01-02 15:04") + ": the server did not run, " +
				"or another backup took too long."},
	}, good.Rows[3:]...)
	return []sample{
		{"backups-off", settingsview.Backups(none), false},
		{"backups-refused", settingsview.Backups(wrong), false},
		{"backups-first", settingsview.Backups(set), false},
		{"backups", settingsview.Backups(good), false},
		{"backups-failed", settingsview.Backups(bad), false},
	}
}
