package egress

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/computclaw/airlock/app/egress/rules"
)

// remoteAlert returns the alert with which the peer ended a handshake, or "". crypto/tls exports no
// type for it.
func remoteAlert(err error) string {
	var remote *net.OpError
	if errors.As(err, &remote) && remote.Op == "remote error" {
		return remote.Err.Error()
	}
	return ""
}

func isDistrust(err error) bool { return strings.Contains(remoteAlert(err), "certificate") }

// isNoProtocol reports whether our TLS server refused the client's protocols. crypto/tls has no
// error for that.
func isNoProtocol(err error) bool {
	return strings.Contains(err.Error(), "client requested unsupported application protocols")
}

func ruleOfHandshake(err error) string {
	var (
		untrusted x509.UnknownAuthorityError
		name      x509.HostnameError
		invalid   x509.CertificateInvalidError
		verify    *tls.CertificateVerificationError
		record    tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return rules.CertTime
	case errors.As(err, &name):
		return rules.CertName
	case errors.As(err, &untrusted):
		return rules.CertUntrusted
	case errors.As(err, &verify):
		return rules.CertOther
	case errors.As(err, &record):
		return rules.HostNoTLS
	case errors.Is(err, context.DeadlineExceeded):
		return rules.Timeout
	case strings.Contains(remoteAlert(err), "no application protocol"):
		return rules.HostHTTP2
	case strings.Contains(remoteAlert(err), "protocol version"),
		strings.Contains(err.Error(), "unsupported protocol version"):
		return rules.HostOldTLS
	}
	return rules.HostTLS
}

// ruleOfBreak names why an answer ended early.
func ruleOfBreak(err error) string {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		strings.Contains(err.Error(), "server closed idle connection"):
		return rules.HostBroke
	case strings.Contains(err.Error(), `malformed HTTP response "\x00\x00`): // a frame of HTTP/2
		return rules.HostHTTP2
	}
	return rules.HostAnswer
}
