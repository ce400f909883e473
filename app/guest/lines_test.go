package guest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/plugins/wire"
)

// On a connection that is kept, every request was once ascribed to the line of the first.
func TestEachRequestIsClaimedWithItsLine(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }))
	defer server.Close()
	u := &upstream{addresses: map[string]string{"api.example.com:80": server.Listener.Addr().String()}}
	for name, text := range map[string]string{
		"requests": `
import requests
url, s = "http://api.example.com/", requests.Session()
s.get(url)

s.get(url); s.get(url)
for n in range(3):
    s.post(url, data=b"x" * 100_000)
set_result("done")`,
		"httpx": `
import httpx
url, s = "http://api.example.com/", httpx.Client()
s.get(url)

s.get(url); s.get(url)
for n in range(3):
    s.post(url, content=b"x" * 100_000)
set_result("done")`,
		"httpx, async": `
import httpx, asyncio
async def main(url="http://api.example.com/"):
    async with httpx.AsyncClient() as s: await s.get(url)

    async with httpx.AsyncClient() as s: await s.get(url); await s.get(url)
    async with httpx.AsyncClient() as s:
        await s.post(url, content=b"x" * 100_000)
asyncio.run(main()); set_result("done")`,
		"aiohttp": `
import aiohttp, asyncio
async def main(url="http://api.example.com/"):
    async with aiohttp.ClientSession() as s: await s.get(url)

    async with aiohttp.ClientSession() as s: await s.get(url); await s.get(url)
    async with aiohttp.ClientSession() as s:
        await s.post(url, data=b"x" * 100_000)
asyncio.run(main()); set_result("done")`,
		"http.client": `
import http.client
s = http.client.HTTPConnection("api.example.com")
s.request("GET", "/"); s.getresponse().read()

s.request("GET", "/"); s.getresponse().read(); s.request("GET", "/"); s.getresponse().read()
for n in range(3):
    s.request("POST", "/", b"x" * 100_000); s.getresponse().read()
set_result("done")`,
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{dial: u.dial}
			j := job(text)
			j.Hosts = []wire.Host{{Name: "api.example.com", Ports: []int{80}}}
			f := execute(t, j, r)
			if string(f.Result) != `"done"` {
				if f.Failed != nil && f.Failed.Error == "ModuleNotFoundError: No module named 'aiohttp'" {
					t.Skip("aiohttp is not installed here")
				}
				t.Fatalf("%v %+v", f.err, f.Failed)
			}
			var got []int
			for _, a := range r.asked {
				if a.Host == "api.example.com" && a.Port == 80 && a.Line != 9 { // a thread of aiohttp looks the name up
					got = append(got, a.Line)
				}
			}
			if diff := cmp.Diff([]int{4, 6, 8}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestProgramsAndDriversAreClaimedWithTheirLine(t *testing.T) {
	r := &recorder{}
	f := execute(t, job(`
import subprocess, os
subprocess.run(["true"])
os.system("true")
try:
    import psycopg2
    psycopg2.connect("postgresql://u:p@db.example.com:6543/d", connect_timeout=1)
except Exception as error: print(type(error).__name__)
set_result("done")`), r)
	if string(f.Result) != `"done"` {
		t.Fatalf("%v %+v", f.err, f.Failed)
	}
	got := map[string]bool{}
	for _, a := range r.asked {
		got[fmt.Sprintf("%s:%d line %d", a.Host, a.Port, a.Line)] = true
	}
	want := map[string]bool{":0 line 3": true, ":0 line 4": true, "db.example.com:6543 line 7": true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s\n%s", diff, f.stdout)
	}
}
