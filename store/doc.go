// Package store keeps Airlock's state in one SQLite file, <dir>/airlock.db.
//
// # Connections
//
// A Store has one writer connection, whose transactions are BEGIN IMMEDIATE, and a pool of
// read-only connections, two of them apart for what is Urgent. SQLite lets one transaction write at
// a time; queueing for one connection in Go costs nothing and never ends in "database is locked",
// while deferred transactions that start to write half-way do. A second process (airlock admin) may
// use the file at the same time. They wait for each other, also with a database that is new.
//
// A connection keeps the statements that it has parsed (driver.go), whoever runs them.
// Package gosqlite is why gorm's dialect runs on modernc.org/sqlite.
//
// # What a commit promises
//
// A transaction that committed is on the disk (synchronous=FULL): it outlives a kill -9, and a
// power cut if the disk keeps its own promises. Two rules rest on that. What was answered with 202
// is not lost. And a script runs at most once: its start is recorded before it is sent; if a power
// cut could take that record back, the next server would find the execution pending and run it
// again. In WAL mode FULL differs from NORMAL by one fsync of the log per commit; what that costs
// stands in docs/performance.md.
//
// # How to write a query
//
//   - Everything happens in a transaction. Store.Read gives a Tx on a consistent snapshot.
//     Store.Write gives one that may change things, and commits if its function returns nil. Inside
//     Write use that Tx only: another write transaction would wait for itself.
//   - A Tx has one field per aggregate, and queries are methods of these, as in
//     tx.Profiles.ByHandle(ctx, handle). So callers join several into one transaction, with the
//     rule that they enforce and the audit event that records it. A Tx is for one goroutine.
//   - A new aggregate is a type in aggregates.go and a file of its own, which holds its rows, their
//     conversion and its queries. A test compares all rows with the migrated schema.
//   - Statements are SQL with placeholders; the logger never sees their values. The functions of
//     query.go run them: selectAll, selectAs, selectOne and selectValue read, insertRow adds a row,
//     run and change alter rows. Below them gorm turns columns into fields. What every execution
//     does while somebody waits goes past gorm: row, rows and insert.
//   - A change of state names in its WHERE the state that was read; change turns zero affected rows
//     into CodeConflict. Errors are *app.Error where a caller can act on them, else wrapped driver
//     errors.
//   - Times are UTC unix milliseconds in the file (toMillis, fromMillis; 0 is the zero time), so
//     that they compare and index as numbers. Durations are whole milliseconds. Lists are JSON
//     (toJSON, fromJSON).
//
// # Files
//
// One file holds one aggregate; executions have several, such as execution_queue.go. dump.go moves
// everything; store.go, query.go, driver.go and migrate.go are what all aggregates stand on.
//
// The store never sees plaintext secrets: values, scripts, inputs, profile and execution ids arrive
// sealed, with keyed hashes to find them by. What came out of a box arrives as redact.Clean.
//
// # Lists and statistics
//
// Lists are in the order of the row id and walk one index in that order, whatever the conditions; a
// test explains every query of every list and refuses scans and sorts. A condition on words (a
// full-text index without content), a host or a credential gives candidates that the other
// conditions look at, up to a bound per page. Ranges of times become ranges of ids, with slack for
// a clock that was set back.
//
// execution_stats is counted by a trigger when an execution ends, per hour, quarter of a UTC day
// and UTC day, so that no way of ending can forget it, and stays when executions are deleted.
// Durations are kept as counts of values rounded down to two digits: sums over any period give
// percentiles that are exact to these.
//
// # Free space
//
// FreeSpace asks the file system, and counts the empty pages of the database in if that has little room.
// Callers that would take something new ask CheckFreeSpace first, so that what runs finds room to end. A
// write that finds none is rolled back by SQLite and is CodeStorageFull.
//
// # Schema
//
// migrations/NNNN_subject.sql are applied in order, each in one transaction, and never edited once
// released. Their checksums are recorded: the program refuses a database with other or newer
// migrations. Before the first pending one a copy of a database that has data is left
// beside it as pre-migrate-<version>.db.
package store
