// Package store keeps Airlock's state in one SQLite file, <dir>/airlock.db.
//
// # Connections
//
// A Store has one writer connection, whose transactions are BEGIN IMMEDIATE, and a pool of
// read-only connections, two of them reserved for Urgent. Writers queue in Go: deferred
// transactions would fail with "database is locked". A second process (airlock admin) may use the
// file at the same time. They wait for each other, also with a new database.
//
// A connection keeps its parsed statements (driver.go).
// Package gosqlite runs gorm's dialect on modernc.org/sqlite.
//
// # What a commit promises
//
// A committed transaction is on the disk (synchronous=FULL). It outlives a kill -9, and a power cut
// if the disk keeps its own promises. So a request answered with 202 is not lost. And a script runs
// at most once: its start is recorded before it is sent. If a power cut could undo that record, the
// next server would run the script again. docs/performance.md has the cost.
//
// # How to write a query
//
//   - Everything happens in a transaction. Store.Read gives a Tx on a consistent snapshot.
//     Store.Write gives one that may change things, and commits if its function returns nil. Inside
//     Write use that Tx only: another write transaction would wait for itself.
//   - A Tx has one field per aggregate, and queries are methods of these, as in
//     tx.Profiles.ByHandle(ctx, handle). Callers join them in one transaction with their rule and
//     its audit event. A Tx is for one goroutine.
//   - A new aggregate is a type in aggregates.go and a file with its rows, their conversion and its
//     queries. A test compares all rows with the migrated schema.
//   - Statements are SQL with placeholders; the logger never sees their values. The functions of
//     query.go run them: selectAll, selectAs, selectOne and selectValue read, insertRow adds a row,
//     run and change alter rows. They use gorm. Statements of every execution bypass it for speed:
//     row, rows and insert.
//   - A change of state names in its WHERE the state that was read; change turns zero affected rows
//     into CodeConflict. Errors are *app.Error where a caller can act on them, else wrapped driver
//     errors.
//   - Times are UTC unix milliseconds (toMillis, fromMillis; 0 is the zero time). Durations are
//     whole milliseconds. Lists are JSON (toJSON, fromJSON).
//
// # Files
//
// One file holds one aggregate; executions have several, such as execution_queue.go. dump.go moves
// everything.
//
// The store never sees plaintext secrets: values, scripts, inputs, profile and execution ids arrive
// sealed, with keyed hashes to find them by. Output of a box arrives as redact.Clean.
//
// # Lists and statistics
//
// Lists walk one index in the order of the row id; a test refuses scans and sorts. A condition on
// words (a full-text index without content), a host or a credential gives candidates for the other
// conditions, up to a bound per page. Ranges of times become ranges of ids, with slack for a clock
// that was set back.
//
// A trigger counts execution_stats when an execution ends, per hour, quarter of a UTC day and UTC
// day. They stay when executions are deleted. Durations are counted rounded down to two digits, so
// percentiles over any period are exact to these.
//
// # Free space
//
// FreeSpace asks the file system, and adds the database's empty pages if that has little room.
// Callers ask CheckFreeSpace before new work, so that running executions find room to end. SQLite
// rolls back a write without room, which is CodeStorageFull.
//
// # Schema
//
// migrations/NNNN_subject.sql are applied in order, each in one transaction, and never edited once
// released. Their checksums are recorded: the program refuses a database with other or newer
// migrations. Before the first pending one, a database with data is copied to
// pre-migrate-<version>.db beside it.
package store
