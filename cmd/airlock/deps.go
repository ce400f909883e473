package main

// Holds every module the card names until real code imports it; removed when the tree stands.
import (
	_ "code.dny.dev/ssrf"
	_ "github.com/PuerkitoBio/goquery"
	_ "github.com/a-h/templ"
	_ "github.com/chromedp/chromedp"
	_ "github.com/glebarez/go-sqlite"
	_ "github.com/glebarez/sqlite"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/hashicorp/go-hclog"
	_ "github.com/hashicorp/go-plugin"
	_ "github.com/hashicorp/yamux"
	_ "github.com/labstack/echo/v4"
	_ "github.com/petar-dambovaliev/aho-corasick"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "go.uber.org/goleak"
	_ "golang.org/x/crypto/argon2"
	_ "golang.org/x/net/bpf"
	_ "golang.org/x/net/dns/dnsmessage"
	_ "golang.org/x/net/idna"
	_ "golang.org/x/sys/unix"
	_ "golang.org/x/time/rate"
	_ "google.golang.org/grpc"
	_ "google.golang.org/protobuf/proto"
	_ "gorm.io/gorm"
	_ "pgregory.net/rapid"
)
