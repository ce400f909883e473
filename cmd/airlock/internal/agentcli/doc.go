// Package agentcli is airlock run: the agent's side of one execution, from the command line.
package agentcli
