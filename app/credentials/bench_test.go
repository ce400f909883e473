package credentials_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/secrets"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/store/storetest"
)

// BenchmarkSearchSets measures the search with 10,000 credentials, 100 of one host.
func BenchmarkSearchSets(b *testing.B) {
	ctx := b.Context()
	st, ring := crowd(b, 10_000, 100)
	crowded, quiet := app.Host{Name: "api.test", Ports: []int{443}}, app.Host{Name: "quiet.test", Ports: []int{443}}
	for _, at := range []app.Host{quiet, crowded} {
		b.Run("answer/"+at.Name, func(b *testing.B) {
			sets := credentials.NewSearchSets(st, ring)
			answer(b, sets, at)
			for b.Loop() {
				answer(b, sets, at)
			}
		})
		b.Run("output/"+at.Name, func(b *testing.B) {
			sets := credentials.NewSearchSets(st, ring)
			output(b, sets, at)
			for b.Loop() {
				output(b, sets, at)
			}
		})
	}
	first := func(name string, use func(testing.TB, *credentials.SearchSets, app.Host)) {
		b.Run("first/"+name, func(b *testing.B) {
			var sets *credentials.SearchSets
			var used uint64
			for b.Loop() {
				b.StopTimer()
				sets = credentials.NewSearchSets(st, ring)
				before := heap()
				b.StartTimer()
				use(b, sets, crowded)
				b.StopTimer()
				used = heap() - before
				b.StartTimer()
			}
			b.ReportMetric(float64(used)/(1<<20), "MiB")
			runtime.KeepAlive(sets)
		})
	}
	first("lookup", func(b testing.TB, sets *credentials.SearchSets, at app.Host) {
		must2(b)(sets.ValuesFor(ctx, at.Name, at.Ports[0]))
	})
	first("answer", answer)
	first("output", output)
}

func must2(b testing.TB) func(v *swap.Values, err error) *swap.Values {
	return func(v *swap.Values, err error) *swap.Values {
		b.Helper()
		if err != nil {
			b.Fatal(err)
		}
		return v
	}
}

// answer measures one small answer.
func answer(b testing.TB, sets *credentials.SearchSets, at app.Host) {
	known := must2(b)(sets.ValuesFor(context.Background(), at.Name, at.Ports[0]))
	if known == nil {
		return
	}
	resp := &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, ContentLength: -1,
		Body: io.NopCloser(strings.NewReader(`{"status":"ok"}`))}
	if err := swap.New(nil).MaskResponse(swap.Target{Host: at.Name, Port: at.Ports[0], TLS: true}, resp,
		known); err != nil {
		b.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
}

// output measures a pass over a short output.
func output(b testing.TB, sets *credentials.SearchSets, at app.Host) {
	others, err := sets.Others(context.Background(), []app.Host{at}, nil)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := redact.New(others).Execution(
		redact.Execution{Stdout: redact.Output{Raw: []byte(strings.Repeat("a line of output\n", 60))},
			Result: []byte(`{"status":"ok"}`)}); err != nil {
		b.Fatal(err)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// crowd is a store with n sealed credentials, some of api.test, the others of hosts of their own.
func crowd(b testing.TB, n, some int) (*store.Store, *secrets.Keyring) {
	b.Helper()
	st := storetest.Open(b)
	ring, err := secrets.NewKeyring(app.NewSecret("an instance key of at least 32 characters"))
	if err != nil {
		b.Fatal(err)
	}
	now := time.Now()
	err = st.Write(b.Context(), func(tx *store.Tx) error {
		for i := range n {
			c := app.Credential{ID: app.NewID(), Name: fmt.Sprintf("KEY_%d", i), Mode: app.ModeSealed,
				Source:    app.SourceLocal,
				CreatedAt: now, UpdatedAt: now,
				Hosts: []app.Host{{Name: fmt.Sprintf("api-%d.test", i), Ports: []int{80, 443}}}}
			if i < some {
				c.Hosts[0].Name = "api.test"
			}
			value := "sk_live_" + app.NewID() + app.NewID()[:6]
			if err := tx.Credentials.Insert(b.Context(), c); err != nil {
				return err
			}
			if err := tx.Values.Insert(b.Context(),
				store.Value{CredentialID: c.ID, Version: 1, At: now,
					Sealed: ring.Seal(secrets.Values, secrets.ValueRow(c.ID, 1), []byte(value))}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	return st, ring
}
