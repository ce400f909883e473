// Package credentials keeps credentials with their values and gives the values to executions.
//
//   - Registry lets people create, change, rotate, test and delete credentials.
//   - Values opens sealed values of the store; Vault reads those of HashiCorp Vault with leases.
//   - Resolver gives an execution the values of its policy's keys.
//   - SearchSets knows which values to search for in answers and output, by host.
//
// # Rules
//
//   - A sealed credential has hosts, and a value long enough to be recognised. A new credential with
//     hosts is sealed by default.
//   - Every execution gets the newest value. Superseded ones are kept sealed, only for the search.
//     Deleting the credential ends that.
//   - Places, headers, plain HTTP and the mode always follow the credential, not the policy.
package credentials
