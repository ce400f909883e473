// Package policy makes the versions of profiles' policies: which keys an execution gets, and which
// hosts.
//
//   - A version's grants keep the hosts that a credential had when the version was made.
//   - What a credential loses later is taken from every grant at once, also of running executions (see Restrict).
//     Hosts that it gains reach only policies of later locks.
//   - A host may be the value of a plain key, {KEY}: see ResolveHosts.
package policy
