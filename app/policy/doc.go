// Package policy makes versions of profiles' policies: the keys and hosts of an execution.
//
//   - A version's grants keep the hosts that a credential had when the version was made.
//   - Hosts that a credential loses leave every grant at once, also of running executions (see
//     Restrict). Hosts that it gains reach only policies of later locks.
//   - A host may be the value of a plain key, {KEY}: see ResolveHosts.
package policy
