package main

import (
	"net/http"
	"strconv"
	"time"
)

// watch sends the initial events if the client asks for them, then waits for the flow, and stays open until the client
// leaves or the token changes.
func (c *collection) watch(w http.ResponseWriter, r *http.Request, flow, rotated <-chan struct{}) {
	query := r.URL.Query()
	w.Header().Set("Content-Type", c.encoding.contentType(true))
	w.WriteHeader(http.StatusOK)
	controller := http.NewResponseController(w)
	send := func(buffers [][]byte) bool {
		for _, buffer := range buffers {
			if _, err := w.Write(buffer); err != nil {
				return false
			}
		}
		return controller.Flush() == nil
	}
	if isTrue(query.Get("sendInitialEvents")) {
		if !send(c.initial) {
			return
		}
	} else if !send(nil) {
		return
	}
	// A client that resumes in the middle of the flow has had its updates.
	if version, _ := strconv.ParseInt(query.Get("resourceVersion"), 10, 64); version <= listed {
		select {
		case <-flow:
		case <-rotated:
			return
		case <-r.Context().Done():
			return
		}
		if c.rate > 0 {
			c.sendAtRate(r, send)
		} else if !send(c.flow) {
			return
		}
	}
	select {
	case <-rotated:
	case <-r.Context().Done():
	}
}

// sendAtRate changes one ConfigMap after another, at a steady rate. `data.at` has the time of the change in microseconds.
func (c *collection) sendAtRate(request *http.Request, send func([][]byte) bool) {
	if c.resource != "configmaps" || c.objects == 0 {
		return
	}
	offset, _ := request.Context().Value(phase{}).(time.Duration)
	interval := time.Duration(float64(time.Second) / c.rate)
	next := time.Now().Add(offset)
	for index := range c.updates {
		time.Sleep(time.Until(next))
		next = next.Add(interval)
		at := strconv.FormatInt(time.Now().UnixMicro(), 10)
		object := newConfigMap(index%c.objects, listed+int64(index)+1, at)
		if !send([][]byte{c.encoding.event("MODIFIED", c.kind, object)}) {
			return
		}
	}
}
