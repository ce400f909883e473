// Command airlock is the whole product: server, agent's side, operator's commands and sandbox
// plugins.
//
//	airlock serve               serve the agent API and the admin UI
//	airlock run SCRIPT          submit a script, wait, answer its LLM questions, print the result
//	airlock admin …             manage credentials, profiles and the audit log on the data directory
//	airlock config              print the effective configuration, secrets masked
//	airlock doctor              check the sandbox on this host
//	airlock version
//	airlock plugin NAME         a sandbox backend; only the server starts it
//
// All configuration is in environment variables (internal/config/table.go). Secrets are never
// arguments, which every process on a host can read. They come from stdin, the environment, or a
// file that NAME_FILE names.
//
// `airlock admin` writes to a running server's database. The server follows the audit log
// (changes.go), so a revocation there kills running scripts as in the UI.
package main
