// Package skillcli is airlock skill: skills as folders and zip files, before they are on an instance.
package skillcli
