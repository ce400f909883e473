// Package proto is generated: the wire form of the sandbox contract. See sandbox.proto.
//
// To regenerate it, have protoc (Debian: protobuf-compiler) and the two Go generators on PATH:
//
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
//	go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2
package proto

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative sandbox.proto
