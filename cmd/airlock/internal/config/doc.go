// Package config reads the environment variables. Its table is docs/configuration.md.
package config
