package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/computclaw/airlock/app"
)

// S3 says where a bucket is and how to enter it.
type S3 struct {
	Endpoint  string // such as https://s3.eu-central-1.amazonaws.com
	Region    string // "": as the endpoint says
	Bucket    string
	Prefix    string // of object names, such as airlock/
	PathStyle bool   // bucket in the path instead of the host name
	AccessKey string
	SecretKey app.Secret `json:"-"`
}

// Bucket is S3-compatible storage.
type Bucket struct {
	client *minio.Client
	at     S3
}

// partSize is an upload's memory in bytes. An object has at most ten thousand parts.
const partSize = 16 << 20

// OpenS3 checks the settings; it doesn't connect.
func OpenS3(at S3) (*Bucket, error) {
	u, err := url.Parse(at.Endpoint)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || strings.Trim(u.Path, "/") != "" ||
		u.User != nil || u.RawQuery != "" {
		return nil, app.Invalid("endpoint", "the endpoint is not an address such as https://s3.example.com",
			"Leave the bucket out of it; it has a field of its own.")
	}
	switch {
	case at.Bucket == "":
		return nil, app.Invalid("bucket", "the bucket is missing", "Type its name.")
	case at.AccessKey == "":
		return nil, app.Invalid("access_key", "the access key is missing", "Type the one that the storage gave you.")
	case at.SecretKey.Empty():
		return nil, app.Invalid("secret_key", "the secret key is missing",
			"Type it; for another endpoint it has to be typed again.")
	}
	if at.Prefix = strings.TrimLeft(at.Prefix, "/"); at.Prefix != "" && !strings.HasSuffix(at.Prefix, "/") {
		at.Prefix += "/"
	}
	style := minio.BucketLookupAuto
	if at.PathStyle {
		style = minio.BucketLookupPath
	}
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewStaticV4(at.AccessKey, at.SecretKey.Reveal(), ""), Secure: u.Scheme == "https",
		Region: at.Region, BucketLookup: style, Transport: transport(), MaxRetries: 3,
	})
	if err != nil {
		e := app.Invalid("bucket", "the storage's settings can't be used", "Check endpoint and bucket.")
		e.Cause = err
		return nil, e
	}
	return &Bucket{client, at}, nil
}

// What is believed of a storage that may be anybody's.
const (
	// bytes of an answer that is not a file: decoded in memory, an element takes a hundred times
	// its size
	maxAnswer = 2 << 20
	pageSize  = 200     // names in an answer of a list, so that the longest ones fit
	maxListed = 100_000 // names in all
	listTime  = 10 * time.Minute
)

// bounded truncates answers that are read into memory as a whole. Files are streamed and not
// bounded.
type bounded struct{ http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if file := r.Method == http.MethodGet && r.URL.RawQuery == "" && answer.StatusCode < 300; !file {
		answer.Body = http.MaxBytesReader(nil, answer.Body, maxAnswer)
	}
	return answer, nil
}

// silence is how long a storage may take and give nothing.
const silence = 5 * time.Minute

// watchedConn breaks when nothing moves in either direction for long.
type watchedConn struct {
	net.Conn
	silence time.Duration
}

func (c watchedConn) Read(p []byte) (int, error) {
	_ = c.SetDeadline(time.Now().Add(c.silence))
	return c.Conn.Read(p)
}

func (c watchedConn) Write(p []byte) (int, error) {
	_ = c.SetDeadline(time.Now().Add(c.silence))
	return c.Conn.Write(p)
}

// transport limits the wait for an answer and for more of it. The caller limits the whole transfer.
func transport() http.RoundTripper {
	dialer := &net.Dialer{Timeout: 15 * time.Second}
	return bounded{&http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return watchedConn{conn, silence}, nil
		},
		TLSHandshakeTimeout:   15 * time.Second,
		ResponseHeaderTimeout: time.Minute, ExpectContinueTimeout: time.Second, IdleConnTimeout: time.Minute,
		MaxIdleConnsPerHost: 4, DisableCompression: true,
	}}
}

func (b *Bucket) String() string {
	at := "bucket " + b.at.Bucket + " at " + b.at.Endpoint
	if b.at.Prefix != "" {
		at += ", prefix " + strings.TrimSuffix(b.at.Prefix, "/")
	}
	return at
}

// Put implements Store. A broken upload leaves no object; the storage's rules remove remaining
// parts.
func (b *Bucket) Put(ctx context.Context, name string, r io.Reader, size int64) error {
	if !isName(name) {
		return fmt.Errorf("blobs: %q is not a name of a blob", name)
	}
	if _, err := b.client.StatObject(ctx, b.at.Bucket, b.at.Prefix+name, minio.StatObjectOptions{}); err == nil {
		return fmt.Errorf("blobs: %s is there already", name)
	} else if !isMissing(err) {
		return b.explain("look for "+name, err)
	}
	_, err := b.client.PutObject(ctx, b.at.Bucket, b.at.Prefix+name, reading{ctx, r}, size, minio.PutObjectOptions{
		ContentType: "application/octet-stream", NumThreads: 1, DisableMultipart: size >= 0 && size <= partSize,
		PartSize: max(partSize, uint64(size)/9000), //nolint:gosec // a size is not negative
	})
	if err != nil {
		return b.explain("write "+name, err)
	}
	return nil
}

// Get implements Store.
func (b *Bucket) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	object, err := b.client.GetObject(ctx, b.at.Bucket, b.at.Prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, b.explain("read "+name, err)
	}
	if _, err := object.Stat(); err != nil { // only now is it asked for
		return nil, errors.Join(b.explain("read "+name, err), object.Close())
	}
	return object, nil
}

// List implements Store. A list that does not end is an error.
func (b *Bucket) List(ctx context.Context, prefix string) ([]Blob, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel() // ends the listing where we stop reading it
	var list []Blob
	seen := 0
	for o := range b.client.ListObjects(ctx, b.at.Bucket,
		minio.ListObjectsOptions{Prefix: b.at.Prefix + prefix, MaxKeys: pageSize}) {
		if o.Err != nil {
			return nil, b.explain("list", o.Err)
		}
		if seen++; seen > maxListed {
			return nil, fmt.Errorf("blobs: list: there are more than %d files whose names begin with %s", maxListed,
				b.at.Prefix+prefix)
		}
		if name := strings.TrimPrefix(o.Key, b.at.Prefix); strings.HasPrefix(name, prefix) && isName(name) {
			list = append(list, Blob{name, o.Size, o.LastModified})
		}
	}
	return list, ctx.Err()
}

// Delete implements Store.
func (b *Bucket) Delete(ctx context.Context, name string) error {
	if !isName(name) {
		return fmt.Errorf("blobs: %q is not a name of a blob", name)
	}
	if err := b.client.RemoveObject(ctx, b.at.Bucket, b.at.Prefix+name, minio.RemoveObjectOptions{}); err != nil &&
		!isMissing(err) {
		return b.explain("delete "+name, err)
	}
	return nil
}

func isMissing(err error) bool {
	code := minio.ToErrorResponse(err).Code
	return code == minio.NoSuchKey || code == "NotFound"
}

// explain says in words what people run into most.
func (b *Bucket) explain(what string, err error) error {
	var kind error
	var net *url.Error
	switch r := minio.ToErrorResponse(err); r.Code {
	case "InvalidAccessKeyId", "XAdminUserNotFound": // the second one is Versity's
		kind = ErrAccessKey
	case "SignatureDoesNotMatch":
		kind = ErrSecretKey
	case minio.AccessDenied:
		kind = ErrDenied
	case minio.NoSuchKey:
		kind = fs.ErrNotExist
	case minio.NoSuchBucket, minio.InvalidBucketName:
		return fmt.Errorf("blobs: %s: %w %s: %w", what, ErrBucket, b.at.Bucket, err)
	}
	if errors.As(err, &net) {
		kind = ErrUnreachable
	}
	if kind == nil {
		return fmt.Errorf("blobs: %s: %w", what, err)
	}
	return fmt.Errorf("blobs: %s: %w: %w", what, kind, err)
}
