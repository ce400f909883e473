package plugins

import (
	"context"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/grpc/experimental"

	"github.com/computclaw/airlock/plugins/proto"
)

// Chunk is the most bytes of stdin or stdout in one message. Each message wakes several threads, so
// it is large; an open box holds one or two such buffers. With its frame it fills eight frames of
// HTTP/2.
const Chunk = 128<<10 - 64

const (
	maxMessage    = 1 << 20 // go-plugin would accept 2 GiB
	window        = 1 << 20 // bytes in flight per stream
	socketBuffer  = 128 << 10
	messageBuffer = 128 << 10
)

// handshake identifies the plugin to a person who starts it by hand. It isn't a secret.
func handshake() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{
		ProtocolVersion: 1, MagicCookieKey: "AIRLOCK_PLUGIN", MagicCookieValue: "sandbox",
	}
}

// kind is the one kind of plugin there is.
const kind = "sandbox"

func dialOptions() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithInitialWindowSize(window),
		// shared by all boxes: one that isn't drained must not stop the others
		grpc.WithInitialConnWindowSize(16 * window),
		grpc.WithReadBufferSize(socketBuffer),
		grpc.WithWriteBufferSize(socketBuffer),
		experimental.WithBufferPool(&buffers{}),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage),
			grpc.ForceCodecV2(newCodec())),
	}
}

func newServer(options []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(options,
		grpc.InitialWindowSize(window),
		grpc.InitialConnWindowSize(16*window),
		grpc.ReadBufferSize(socketBuffer),
		grpc.WriteBufferSize(socketBuffer),
		experimental.BufferPool(&buffers{}),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxSendMsgSize(maxMessage),
		grpc.ForceServerCodecV2(newCodec()),
	)...)
}

// endpoint is the go-plugin form of the contract. server is set on the plugin's side.
type endpoint struct {
	plugin.NetRPCUnsupportedPlugin
	server *serverSide
}

// GRPCServer implements plugin.GRPCPlugin.
func (e *endpoint) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	proto.RegisterSandboxServer(s, e.server)
	return nil
}

// GRPCClient implements plugin.GRPCPlugin. What it returns is a *remote.
func (e *endpoint) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return newRemote(conn), nil
}
