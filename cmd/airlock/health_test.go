package main

import "testing"

func TestHealthURL(t *testing.T) {
	for addr, want := range map[string]string{
		":9090": "http://localhost:9090", "0.0.0.0:80": "http://localhost:80",
		"[::]:1":        "http://localhost:1",
		"10.1.2.3:8080": "http://10.1.2.3:8080", "[::1]:9090": "http://[::1]:9090",
	} {
		if got, err := healthURL(addr); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", addr, got, err, want)
		}
	}
}
