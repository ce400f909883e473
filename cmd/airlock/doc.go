// Command airlock is the whole product in one file: the server, the agent's side, the operator's
// commands, and the sandbox plugins that the server starts from it.
//
//	airlock serve               serve the agent API and the admin UI
//	airlock run SCRIPT          submit a script, wait, answer its LLM questions, print the result
//	airlock admin …             manage credentials, profiles and the audit log on the data directory
//	airlock config              print the effective configuration, secrets masked
//	airlock doctor              check the sandbox on this host
//	airlock version
//	airlock plugin NAME         a sandbox backend; only the server starts it
//
// All configuration is in environment variables (internal/config/table.go). A secret never stands
// in an argument, since every process on a host can read those: values come from stdin or from the
// environment, or from a file that NAME_FILE names.
//
// Other processes' changes: `airlock admin` writes to the database of a running server, which
// follows the audit log (changes.go), so a revocation from the command line kills what runs just as
// one in the UI does.
package main
