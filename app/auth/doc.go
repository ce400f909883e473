// Package auth manages people, logins, sessions, invitations and the admin token.
//
// # The first person
//
// The admin token lets the first person in, who then chooses a name and a password.
// That spends the token. Its next use is refused with the time and address of the first.
// A configured token counts only until there is a person: platforms show settings to many.
// `airlock admin token` makes a new token and ends all sessions and invitations. Its holder may
// reset a known person's password. Others come in by one-time invitations.
//
// # Wrong attempts
//
// The admin token and passwords are kept as argon2id hashes; an unknown name takes as long as a
// known one. Wrong attempts are counted per address (a /64 for IPv6) and overall, and audited
// without the input. They never block unguessable tokens: admin tokens of 32 characters or more and
// invitations are recognised before counting. Confirmations are counted per person.
//
// # Passkeys
//
// A passkey logs in and confirms as a password does, within the same limits. Only its public key is
// kept. This process signs challenges, and remembers only spent ones.
//
// # Roles
//
// A person's role is read for every request. The routes of the UI say what it allows.
//
// # Sessions
//
// A session is a random token; only its SHA-256 is kept. It ends 12 hours after its last use
// (an open browser tab is no use), 7 days after login, or when somebody ends it.
// Irreversible actions ask for the password or a passkey again after five minutes
// (Session.IsFresh).
package auth
