// Package auth decides who may come in: people, their logins and sessions, invitations and the
// admin token.
//
// # The first person
//
// The admin token lets the first person in, who then chooses a name and a password.
// That spends the token. Its next use is refused with the time and address of the first.
// A configured token counts until there is a person, and never again: platforms show settings to
// many. `airlock admin token` makes a new token and ends all sessions and invitations. Its holder
// may set a new password for a name that is known. Others come in by one-time invitations.
//
// # Wrong attempts
//
// The admin token and passwords are kept as argon2id hashes; an unknown name costs the time of a
// known one. Wrong attempts are counted per address (a /64 for IPv6) and over all, and audited
// without what was typed. They keep nobody out whose token can't be guessed: admin tokens of 32
// characters or more and invitations are recognised before anything is counted. Confirming a
// password has a count per person.
//
// # Passkeys
//
// A passkey logs in and confirms as a password does, and its wrong attempts are counted with those
// of passwords. Only its public key is kept. Challenges are signed by this process, and remembered
// only once they are spent.
//
// # Roles
//
// A person has a role, which is read for every request. What it allows, the routes of the UI say.
//
// # Sessions
//
// A session is a random token of which the SHA-256 is kept. It ends 12 hours after its last use
// (an open browser tab is no use), 7 days after login, or when somebody ends it.
// What can't be undone asks for the password or a passkey again after five minutes (Session.Fresh).
package auth
