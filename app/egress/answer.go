package egress

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/head"
	"github.com/computclaw/airlock/app/egress/rules"
)

// RuleField is the header with the rule of Airlock's own answers. Hosts' answers never have it.
const RuleField = "X-Airlock"

func (x *exchange) answer(status int, rule string, why *app.Error) error {
	x.body.beginAnswer()
	text := ownAnswer(status, rule, why, x.method == http.MethodHead, !x.keep)
	if _, err := x.out.Write(text); err != nil {
		return err
	}
	return x.out.Flush()
}

// plainAnswer is Airlock's own final answer to HTTP.
func plainAnswer(c app.Connection) []byte {
	return ownAnswer(http.StatusBadRequest, c.Rule, rules.Explain(c), false, true)
}

func ownAnswer(status int, rule string, why *app.Error, headOnly, last bool) []byte {
	body, err := json.Marshal(app.ErrorBody{Error: why})
	if err != nil {
		panic("egress: an error is always encodable: " + err.Error())
	}
	text := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s: %s\r\n",
		status, http.StatusText(status), len(body), RuleField, rule)
	if last {
		text = append(text, "Connection: close\r\n"...)
	}
	text = append(text, "\r\n"...)
	if headOnly {
		return text
	}
	return append(text, body...)
}

// notPassed lists answer fields that Airlock drops. They concern its own connection, it writes them
// itself, or they would lead a client past it.
var notPassed = []string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Length",
	RuleField, "Alt-Svc",
}

// pass streams the host's answer to the box and reports whether another request may follow.
func (x *exchange) pass(method string, resp *http.Response) bool {
	x.body.beginAnswer()
	x.keep = x.keep && x.body.isFinished()
	framing := x.decideFraming(method, resp)
	x.writeHead(resp, framing)
	if framing.chunked || framing.length > bufferSize/2 {
		if x.out.Flush() != nil { // the rest may take its time
			return false
		}
	}
	if err := x.copyBody(resp, framing); err != nil {
		x.amend(func(c *app.Connection) {
			if c.Rule = x.ruleOfRequest(err); c.Rule == rules.HostAnswer && x.sealed {
				c.Rule = rules.Unreadable
			}
			c.Verdict = rules.Verdict(c.Rule)
		})
		x.conn.Break(net.ErrClosed) // what was sent must not look complete
		return false
	}
	return x.out.Flush() == nil && x.keep
}

// framing tells the box where an answer ends.
type framing struct {
	none    bool  // there is no body
	length  int64 // -1 if it is not known
	chunked bool
}

func (x *exchange) decideFraming(method string, resp *http.Response) framing {
	f := framing{length: resp.ContentLength}
	switch {
	case method == http.MethodHead:
		f.none = true
	case resp.StatusCode == http.StatusNoContent || resp.StatusCode == http.StatusNotModified:
		f.none, f.length = true, -1
	case f.length < 0 && x.old:
		x.keep = false
	case f.length < 0:
		f.chunked = true
	}
	return f
}

func (x *exchange) writeHead(resp *http.Response, f framing) {
	for _, list := range resp.Header["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			resp.Header.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range notPassed {
		resp.Header.Del(name)
	}
	_, reason, _ := strings.Cut(resp.Status, " ")
	fmt.Fprintf(x.out, "HTTP/1.1 %03d %s\r\n", resp.StatusCode, strings.Map(printableOrSpace, reason))
	_ = resp.Header.Write(x.out) // a bufio.Writer keeps its first error
	switch {
	case f.chunked:
		fmt.Fprint(x.out, "Transfer-Encoding: chunked\r\n")
		if names := trailerNames(resp.Trailer); len(names) > 0 {
			fmt.Fprintf(x.out, "Trailer: %s\r\n", strings.Join(names, ", "))
		}
	case f.length >= 0:
		fmt.Fprintf(x.out, "Content-Length: %d\r\n", f.length)
	}
	if !x.keep {
		fmt.Fprint(x.out, "Connection: close\r\n")
	}
	fmt.Fprint(x.out, "\r\n")
}

func printableOrSpace(r rune) rune {
	if r < ' ' || r > '~' {
		return '?'
	}
	return r
}

func trailerNames(trailer http.Header) []string {
	var names []string
	for name := range trailer {
		if !slices.Contains(notPassed, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

var chunks = sync.Pool{New: func() any { return new([bufferSize]byte) }}

// copyBody passes a body on piece by piece. The error is the host's, the swapper's or the box's.
func (x *exchange) copyBody(resp *http.Response, f framing) error {
	if f.none {
		return nil
	}
	buffer := chunks.Get().(*[bufferSize]byte)
	defer chunks.Put(buffer)
	for left := f.length; ; {
		n, err := resp.Body.Read(buffer[:])
		if f.length >= 0 && int64(n) > left {
			return errTooLong
		}
		left -= int64(n)
		if n > 0 {
			if err := x.writePart(buffer[:n], f.chunked); err != nil {
				return err
			}
		}
		switch {
		case err == io.EOF && left > 0:
			return io.ErrUnexpectedEOF
		case err == io.EOF:
			return x.finishBody(resp, f)
		case err != nil:
			return err
		}
		if f.length != 0 && left == 0 {
			continue // the end is near: one flush for all
		}
		if err := x.out.Flush(); err != nil {
			return err
		}
	}
}

func (x *exchange) writePart(p []byte, chunked bool) error {
	if !chunked {
		_, err := x.out.Write(p)
		return err
	}
	_, _ = x.out.WriteString(strconv.FormatInt(int64(len(p)), 16))
	_, _ = x.out.WriteString("\r\n")
	_, _ = x.out.Write(p)
	_, err := x.out.WriteString("\r\n")
	return err
}

func (x *exchange) finishBody(resp *http.Response, f framing) error {
	if !f.chunked {
		return nil
	}
	_, _ = x.out.WriteString("0\r\n")
	for _, name := range notPassed {
		resp.Trailer.Del(name)
	}
	_ = resp.Trailer.Write(x.out)
	_, err := x.out.WriteString("\r\n")
	return err
}

// hostField is the Host that the host sees.
func hostField(to head.Authority, secure bool) string {
	name := to.Name
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	if secure && to.Port == 443 || !secure && to.Port == 80 {
		return name
	}
	return name + ":" + portText(to.Port)
}

func portText(port int) string { return strconv.Itoa(port) }
