// Package credentials keeps credentials with their values and gives the values to executions.
//
//   - Registry is what people do with credentials: create, change, rotate, test, delete.
//   - Values opens what the store has sealed; Vault reads what HashiCorp Vault holds and holds its leases.
//   - Resolver gives an execution the values of its policy's keys.
//   - SearchSets knows which values each host may show, so that answers and output are searched for them.
//
// # Rules
//
//   - A sealed credential has hosts, and a value long enough to be recognised.
//     It is what a new credential with hosts becomes; injected has to be chosen.
//   - Every execution gets the newest value. The value before it is kept sealed, only to be searched for
//     in what its hosts show. Deleting the credential ends that.
//   - Places, headers, plain HTTP and the mode are always the present ones, whatever a policy was made with.
package credentials
