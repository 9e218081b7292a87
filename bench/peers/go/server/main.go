// Command server is a canned API server: it serves prepared objects over TLS and HTTP/2 for the comparison with peers.
//
// It prints its addresses as one line of JSON, then obeys commands on standard input, and answers each with a line of
// JSON. It exits at the end of input.
//
//	reset          forgets the flow and the token, and ends all watches
//	flow           sends the prepared updates on every watch
//	rotate TOKEN   refuses every other token from now on, and ends all watches
//	stats          reports the requests since the last report
package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	clusters := flag.Int("clusters", 1, "number of clusters, each on a port of its own")
	objects := flag.Int("objects", 10, "number of objects of each kind in each cluster")
	resources := flag.String("resources", "pods", "comma-separated resources that have objects")
	updates := flag.Int("updates", 0, "number of updates that the flow sends on each watch")
	rate := flag.Float64("rate", 0, "updates per second on each watch; 0: as fast as the client reads")
	protobuf := flag.Bool("protobuf", false, "answer in protobuf where the client accepts it")
	flag.Parse()

	fleet := &fleet{
		catalog: newCatalog(*objects, strings.Split(*resources, ","), *updates, *rate, *protobuf),
		flow:    make(chan struct{}),
		rotated: make(chan struct{}),
	}
	authority, certificate, err := newServingCertificate()
	if err != nil {
		log.Fatal(err)
	}
	urls, err := fleet.listen(*clusters, certificate)
	if err != nil {
		log.Fatal(err)
	}
	initialBytes, flowBytes := fleet.catalog.sizes()
	answer(map[string]any{
		"urls": urls, "ca": string(authority), "initialBytes": initialBytes, "flowBytes": flowBytes,
	})
	fleet.obey(os.Stdin)
}

// fleet is the state that all clusters share. Their objects are the same.
type fleet struct {
	catalog *catalog

	mu    sync.Mutex
	token string
	// flow is closed when the updates begin.
	flow chan struct{}
	// rotated is closed, and replaced, when the token changes.
	rotated chan struct{}
	seen    requests
}

type requests struct {
	Lists      int `json:"lists"`
	WatchLists int `json:"watchLists"`
	Watches    int `json:"watches"`
	Refused    int `json:"refused"`
}

func (f *fleet) listen(clusters int, certificate tls.Certificate) ([]string, error) {
	server := &http.Server{
		Handler:   f,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}},
		// Clients close connections as they like.
		ErrorLog: log.New(io.Discard, "", 0),
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, phase{}, time.Duration(conn.LocalAddr().(*net.TCPAddr).Port%100)*time.Millisecond)
		},
	}
	urls := make([]string, clusters)
	for i := range urls {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		urls[i] = "https://" + listener.Addr().String()
		go func() { log.Fatal(server.ServeTLS(listener, "", "")) }()
	}
	return urls, nil
}

// phase is the key of the offset that spreads the updates of different clusters.
type phase struct{}

func (f *fleet) obey(commands io.Reader) {
	lines := bufio.NewScanner(commands)
	for lines.Scan() {
		command, argument, _ := strings.Cut(lines.Text(), " ")
		f.mu.Lock()
		switch command {
		case "reset":
			f.token = ""
			f.flow = make(chan struct{})
			close(f.rotated)
			f.rotated = make(chan struct{})
		case "flow":
			close(f.flow)
		case "rotate":
			f.token = argument
			close(f.rotated)
			f.rotated = make(chan struct{})
		}
		answer(struct {
			requests
			CPU float64 `json:"cpu"`
		}{f.seen, processorSeconds()})
		f.seen = requests{}
		f.mu.Unlock()
	}
}

func (f *fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	token, flow, rotated := f.token, f.flow, f.rotated
	authorized := token == "" || r.Header.Get("Authorization") == "Bearer "+token
	if !authorized {
		f.seen.Refused++
	}
	f.mu.Unlock()
	if !authorized {
		writeStatus(w, http.StatusUnauthorized, "Unauthorized")
		return
	}
	if serveDiscovery(w, r) {
		return
	}
	served := f.catalog.collectionAt(r.URL.Path)
	switch {
	case r.Method != http.MethodGet:
		writeStatus(w, http.StatusMethodNotAllowed, "MethodNotAllowed")
	case served == nil:
		writeStatus(w, http.StatusNotFound, "NotFound")
	case isTrue(r.URL.Query().Get("watch")):
		f.count(func(seen *requests) {
			if isTrue(r.URL.Query().Get("sendInitialEvents")) {
				seen.WatchLists++
			} else {
				seen.Watches++
			}
		})
		served.watch(w, r, flow, rotated)
	default:
		f.count(func(seen *requests) { seen.Lists++ })
		served.writeList(w, r)
	}
}

func (f *fleet) count(add func(*requests)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	add(&f.seen)
}

func isTrue(value string) bool { return value == "true" || value == "1" }

func answer(value any) {
	line, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(line))
}

func processorSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()).Seconds()
}
