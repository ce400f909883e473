// Package proto is the generated wire form of the sandbox contract. See sandbox.proto.
//
// `make generate` regenerates it, with go.mod's generators and Debian's protobuf-compiler.
package proto

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative sandbox.proto
