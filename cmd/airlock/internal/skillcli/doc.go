// Package skillcli is airlock skill: skills as folders and zip files outside of instances.
package skillcli
