package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
)

const (
	// listed is the resource version of the initial state. Updates have later versions.
	listed = 1_000_000
	// workers is the number of concurrent reconciles, and of clusters that are engaged at once.
	workers = 16
)

// assignment is the first line of the input: what to measure.
type assignment struct {
	Row      string   `json:"row"`
	URLs     []string `json:"urls"`
	Hub      string   `json:"hub"`
	CA       string   `json:"ca"`
	Token    string   `json:"token"`
	Resource string   `json:"resource"`
	Objects  int      `json:"objects"`
	Updates  int      `json:"updates"`

	variant string
}

// config returns a client configuration without client-side rate limits, which controller-runtime disables too.
func (a *assignment) config(url, token string) *rest.Config {
	config := &rest.Config{Host: url, BearerToken: token, QPS: -1}
	config.CAData = []byte(a.CA)
	if a.variant == "JSON" {
		// Otherwise controller-runtime uses protobuf for built-in kinds.
		config.ContentType = "application/json"
	}
	return config
}

// conversation is this program's side of its talk with the runner.
type conversation struct {
	lines   *bufio.Reader
	started time.Time
	cpu     time.Duration
}

func newConversation(input io.Reader) *conversation {
	return &conversation{lines: bufio.NewReaderSize(input, 1<<20)}
}

func (c *conversation) assignment(variant string) *assignment {
	line, _ := c.next()
	job := &assignment{variant: variant}
	if err := json.Unmarshal([]byte(line), job); err != nil {
		log.Fatalf("the first line is not a job: %v", err)
	}
	return job
}

// next waits until the runner starts the next step. It returns false if there is none.
func (c *conversation) next() (string, bool) {
	line, err := c.lines.ReadString('\n')
	c.started, c.cpu = time.Now(), processorTime()
	if err != nil {
		return "", false
	}
	return line[:len(line)-1], true
}

// report ends a step. Resident memory is compared after a collection, in every language.
func (c *conversation) report(figures map[string]float64) {
	answer := map[string]float64{
		"ms":  float64(time.Since(c.started)) / float64(time.Millisecond),
		"cpu": (processorTime() - c.cpu).Seconds(),
	}
	for name, figure := range figures {
		answer[name] = figure
	}
	debug.FreeOSMemory()
	line, err := json.Marshal(answer)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(line))
}

// repeat repeats a step for as long as the runner asks for it.
func (c *conversation) repeat(work func() error) error {
	c.report(nil)
	for {
		if _, more := c.next(); !more {
			return nil
		}
		if err := work(); err != nil {
			return err
		}
		c.report(nil)
	}
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func percentiles(latencies []float64) map[string]float64 {
	slices.Sort(latencies)
	at := func(share float64) float64 { return latencies[int(float64(len(latencies)-1)*share)] }
	return map[string]float64{"p50": at(0.5), "p99": at(0.99)}
}

// countdown closes a channel after a number of ticks.
type countdown struct {
	left atomic.Int64
	done chan struct{}
}

func newCountdown(count int) *countdown {
	c := &countdown{done: make(chan struct{})}
	c.left.Store(int64(count))
	if count == 0 {
		close(c.done)
	}
	return c
}

func (c *countdown) tick() {
	if c.left.Add(-1) == 0 {
		close(c.done)
	}
}
