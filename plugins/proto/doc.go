// Package proto is generated: the wire form of the sandbox contract. See sandbox.proto.
//
// `make generate` makes it anew, with the generators that go.mod names and Debian's
// protobuf-compiler.
package proto

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative sandbox.proto
