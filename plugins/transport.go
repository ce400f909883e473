package plugins

import (
	"context"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/computclaw/airlock/plugins/proto"
)

const (
	maxChunk   = 64 << 10 // of stdin and stdout in one message
	maxMessage = 1 << 20  // go-plugin would accept 2 GiB
	window     = 1 << 20  // bytes in flight per stream
)

// handshake lets a person who starts a plugin by hand read what it is. It isn't a secret.
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
		grpc.WithInitialConnWindowSize(16 * window), // shared by all boxes: one that isn't drained must not stop the others
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage)),
	}
}

func newServer(options []grpc.ServerOption) *grpc.Server {
	return grpc.NewServer(append(options,
		grpc.InitialWindowSize(window),
		grpc.InitialConnWindowSize(16*window),
		grpc.MaxRecvMsgSize(maxMessage),
		grpc.MaxSendMsgSize(maxMessage),
	)...)
}

// endpoint is the go-plugin form of the contract. server is set on the plugin's side only.
type endpoint struct {
	plugin.NetRPCUnsupportedPlugin
	server *serverSide
}

// GRPCServer implements plugin.GRPCPlugin.
func (e *endpoint) GRPCServer(_ *plugin.GRPCBroker, s *grpc.Server) error {
	proto.RegisterSandboxServer(s, e.server)
	return nil
}

// GRPCClient implements plugin.GRPCPlugin. What it returns is a Sandbox.
func (e *endpoint) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return &remote{rpc: proto.NewSandboxClient(conn)}, nil
}
