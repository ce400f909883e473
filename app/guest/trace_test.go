package guest
import ("testing";"time";"context";"github.com/computclaw/airlock/plugins/wire")
func TestTrace(t *testing.T) {
	for range 15 {
	s := open(t)
	time.Sleep(50*time.Millisecond)
	r := &recorder{}
	h := r.handler()
	var q time.Duration
	begin := time.Now()
	var out time.Duration
	h.LLM = func(_ context.Context, _ wire.LLMRequest) (wire.LLMReply, error) { q = time.Since(begin); return wire.LLMReply{Text:"x"}, nil }
	w := h.Stdout
	h.Stdout = func(p []byte) { w(p); if out == 0 {out = time.Since(begin)} }
	s.Run(t.Context(), job("import time\na=time.perf_counter_ns()\nllm.complete('x')\nprint((time.perf_counter_ns()-a)/1e6)"), h)
	t.Log("first question", q, "stdout", out, "end", time.Since(begin), r.stdout.String())
	}
}
