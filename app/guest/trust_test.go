package guest

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/computclaw/airlock/app/egress/ca"
)

func executeIn(t *testing.T, s *Session, j Job, r *recorder) finished {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	outcome, err := s.Run(ctx, j, r.handler())
	return finished{outcome, r.stdout.String(), r.stderr.String(), err}
}

// TestCABundle: a box trusts the runtime's roots and the given certificate, under every usual name,
// at any time.
func TestCABundle(t *testing.T) {
	authority, err := ca.New(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	j := job(`
import os, ssl
names = ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "PIP_CERT", "NODE_EXTRA_CA_CERTS", "AWS_CA_BUNDLE",
         "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH", "GIT_SSL_CAINFO"]
path = os.environ["SSL_CERT_FILE"]
bundle = open(path).read()
def trusted(path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(path)
    return len([c for c in context.get_ca_certs() if ("organizationName", "Airlock") in [p for rdn in c["subject"] for p in rdn]])
foreign = "/tmp/own.pem"
open(foreign, "w").write(bundle[:bundle.index("-----END CERTIFICATE-----")] + "-----END CERTIFICATE-----\n")
context = ssl.create_default_context()
context.load_verify_locations(path)
ours = [c for c in context.get_ca_certs() if ("organizationName", "Airlock") in [p for rdn in c["subject"] for p in rdn]]
set_result({
    "names": [n for n in names if os.environ.get(n) != path],
    "proxies": [n for n in os.environ if "proxy" in n.lower()],
    "mode": oct(os.stat(path).st_mode & 0o777),
    "own": inputs in bundle,
    "ours": len(ours),
    "roots": len(context.get_ca_certs()) > 50,
    "requests": __import__("requests").utils.get_environ_proxies("https://a.example") == {},
    "by path": trusted("/etc/ssl/certs/ca-certificates.crt"),
    "foreign": trusted(foreign),
})`)
	j.Inputs, _ = json.Marshal(string(authority.Certificate()))
	f := executeIn(t, openWith(t, Boot{CA: authority.Certificate()}), j, &recorder{})
	want := `{"names":[],"proxies":[],"mode":"0o400","own":true,"ours":1,"roots":true,"requests":true,"by path":1,"foreign":0}`
	if string(f.Result) != want {
		t.Errorf("%s\n%v %+v", f.Result, f.err, f.Failed)
	}
}

// TestWithoutCA: nothing is pretended where there is nothing to trust.
func TestWithoutCA(t *testing.T) {
	f := script(t, "import os\nset_result([k for k in os.environ if 'CA' in k or 'CERT' in k or 'SSL' in k] + "+
		"os.listdir('/tmp'))")
	if string(f.Result) != `["script.py",".airlock"]` {
		t.Errorf("%s %+v", f.Result, f.Failed)
	}
}

// A script may write to Airlock past its runner. An impossible line number would make every backup
// fail.
func TestAScriptCantFailInAnImpossibleLine(t *testing.T) {
	for _, line := range []string{"4611686018427387904", "-1"} {
		f := execute(t, job(`
import os
body = b'{"failed": {"error": "x", "line": `+line+`}}'
os.write(3, len(body).to_bytes(4, "big") + body)
os._exit(1)`), &recorder{})
		if f.Failed == nil || f.Failed.Error != "x" || f.Failed.Line != 0 {
			t.Errorf("%s: %+v, %v", line, f.Failed, f.err)
		}
	}
}
