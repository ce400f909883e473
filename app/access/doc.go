// Package access is the desk where people and agents arrange who may have what: credentials, profiles, keys, hosts, policies,
// admin sessions and the audit log. The web API, the admin UI and `airlock admin` all go through it, so each rule stands once:
// checked, sealed, stored and audited in one transaction.
//
// It stands beside app/engine because the rules of profiles and credentials are needed by three callers and belong to none of them.
//
// # Rules
//
//   - A profile goes from unlocked to locked once. Keys change only before; hosts also after, as a new policy version.
//   - Agents create profiles, add and remove keys, and propose hosts. Everything else is a person's, airlock admin's, or Airlock's own:
//     for an agent's app.Actor it is CodeForbidden, whoever called.
//   - A key has no value until a person links it, even if a credential of its name exists. So an agent learns nothing about the store.
//   - What an agent asks for (mode, hosts) is a request. A key's hosts only ever narrow its credential's.
//   - An agent's profile is unclaimed until a person first works on it. Unclaimed ones are few (quota) and short-lived.
//   - A sealed credential has hosts, and a value long enough to be recognised. It is what a new credential with hosts becomes; that scripts get the
//     value itself (injected) has to be said.
//   - A policy's grants keep the hosts that a credential had when the version was made. What is taken away from a credential later (hosts, places,
//     headers, plain HTTP) is taken from every grant at once (see Resolve and Narrow); hosts that are added reach only policies of later locks. Places, headers,
//     plain HTTP and the mode are always the present ones.
//   - A connection that was refused becomes a request on the profile's page (see RequestHost), bounded, and never more than that.
//   - A credential's value is rotated at any time; every profile sees the new one from its next execution on. The value before it is
//     never used again, and kept sealed to be searched for in what its hosts show (see SearchSets): whoever deletes the credential ends that.
//   - UpdatedAt of a profile moves with every change of what its page shows, so a person can only lock what they have seen.
//
// After each commit the hub is told what changed.
//
// # People
//
// The admin token lets the first person in, who then chooses a name and a password; the token is spent with that, and whoever shows it later is told when and
// from where it was used. A configured token counts until there is a person and never again: it may stand in a platform's settings for ever. Others are
// added by invitations, one-time tokens that a person makes. `airlock admin token` makes a new token, for a forgotten password or when somebody is in who
// should not be: it ends all sessions and invitations, and its holder may set a new password for a name that is known.
//
// The admin token and passwords are kept as argon2id hashes; an unknown name costs the time of a known one. Wrong attempts are counted per address (an IPv6
// address stands for its /64) and over all, and audited without what was typed. They keep nobody out whose right token can't be guessed: admin tokens of
// 32 characters or more and invitations are known before anything is counted, and somebody who is logged in confirms a password with a count of their own. Sessions are random tokens of which the SHA-256 is kept. They end 12 hours after
// the last use (a browser tab left open is no use), 7 days after login, or when they are ended. What can't be taken back asks for the password again
// if it was typed more than five minutes ago (Session.Fresh).
//
// # Undo
//
// A revocation counts at once. For ten minutes it can be taken back, if the profile is still as the revocation left it; the database holds that, too.
package access
