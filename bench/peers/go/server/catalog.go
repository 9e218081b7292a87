package main

import (
	"bytes"
	"fmt"
	"log"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	// listed is the resource version of the lists. Updates have later versions.
	listed = 1_000_000
	// chunk is the size of one write.
	chunk = 1 << 20
)

// kind describes one kind of objects.
type kind struct {
	resource, apiVersion, name string
	build                      func(index int, version int64) runtime.Object
	// newList is nil for custom resources, which have no protobuf.
	newList func() runtime.Object
}

var kinds = []kind{
	{"pods", "v1", "Pod", newPod, func() runtime.Object { return &corev1.PodList{} }},
	{"configmaps", "v1", "ConfigMap", func(index int, version int64) runtime.Object { return newConfigMap(index, version, "") },
		func() runtime.Object { return &corev1.ConfigMapList{} }},
	{"secrets", "v1", "Secret", newSecret, func() runtime.Object { return &corev1.SecretList{} }},
	{"serviceaccounts", "v1", "ServiceAccount", newServiceAccount, func() runtime.Object { return &corev1.ServiceAccountList{} }},
	{"widgets", "example.com/v1", "Widget", newWidget, nil},
}

// catalog holds the prepared bodies.
type catalog struct {
	resources map[string]*collection
}

// collection holds the bodies of one kind, in the only encoding that this server answers in for it.
type collection struct {
	kind
	encoding encoding
	objects  int
	updates  int
	rate     float64

	initial [][]byte
	flow    [][]byte
	// items are the objects of lists, one after the other; ends has the end of each.
	items []byte
	ends  []int
	pages sync.Map
}

func newCatalog(objects int, resources []string, updates int, rate float64, protobuf bool) *catalog {
	c := &catalog{resources: map[string]*collection{}}
	for _, kind := range kinds {
		r := &collection{kind: kind, encoding: jsonEncoding{}, updates: updates, rate: rate}
		if protobuf && kind.newList != nil {
			r.encoding = protobufEncoding{}
		}
		if slices.Contains(resources, kind.resource) {
			r.objects = objects
		}
		r.prepare()
		c.resources[kind.resource] = r
	}
	return c
}

// sizes returns the bytes of the initial events, and of the updates, per resource.
func (c *catalog) sizes() (initial, flow map[string]int) {
	initial, flow = map[string]int{}, map[string]int{}
	for name, r := range c.resources {
		for _, part := range r.initial {
			initial[name] += len(part)
		}
		for _, part := range r.flow {
			flow[name] += len(part)
		}
	}
	return initial, flow
}

// prepare builds the bodies: the stream of initial events, the items of lists, and the flow of updates.
func (c *collection) prepare() {
	var initial, flow chunks
	for index := range c.objects {
		object := c.build(index, int64(index+1))
		initial.add(c.encoding.event("ADDED", c.kind, object))
		c.items = append(c.items, c.encoding.item(c.kind, object)...)
		c.ends = append(c.ends, len(c.items))
	}
	initial.add(c.encoding.bookmark(c.kind))
	c.initial = initial.all
	if c.rate > 0 || c.objects == 0 {
		return
	}
	for index := range c.updates {
		flow.add(c.encoding.event("MODIFIED", c.kind, c.build(index%c.objects, listed+int64(index)+1)))
	}
	c.flow = flow.all
}

// chunks joins events to buffers that are worth a write.
type chunks struct{ all [][]byte }

func (c *chunks) add(event []byte) {
	last := len(c.all) - 1
	if last < 0 || len(c.all[last])+len(event) > chunk {
		c.all = append(c.all, make([]byte, 0, max(chunk, len(event))))
		last++
	}
	c.all[last] = append(c.all[last], event...)
}

// collectionAt finds the resource of a path with or without a namespace. Objects by name are not served.
func (c *catalog) collectionAt(path string) *collection {
	rest, isCore := strings.CutPrefix(path, "/api/v1/")
	if !isCore {
		var isWidget bool
		if rest, isWidget = strings.CutPrefix(path, "/apis/example.com/v1/"); !isWidget {
			return nil
		}
	}
	if namespaced, ok := strings.CutPrefix(rest, "namespaces/"); ok {
		_, rest, _ = strings.Cut(namespaced, "/")
	}
	r := c.resources[rest]
	if r == nil || (r.apiVersion == "v1") != isCore {
		return nil
	}
	return r
}

// writeList answers with the whole list, or with the page that `limit` and `continue` ask for.
func (c *collection) writeList(w http.ResponseWriter, request *http.Request) {
	query := request.URL.Query()
	start, _ := strconv.Atoi(query.Get("continue"))
	end := c.objects
	if limit, _ := strconv.Atoi(query.Get("limit")); limit > 0 {
		end = min(start+limit, end)
	}
	page := fmt.Sprintf("%d-%d", start, end)
	body, ok := c.pages.Load(page)
	if !ok {
		body, _ = c.pages.LoadOrStore(page, c.encoding.list(c, start, end))
	}
	w.Header().Set("Content-Type", c.encoding.contentType(false))
	for _, part := range body.([][]byte) {
		if _, err := w.Write(part); err != nil {
			return
		}
	}
}

// itemsBetween returns the encoded items [start, end) without the separator after the last.
func (c *collection) itemsBetween(start, end int, separator string) []byte {
	if start >= end {
		return nil
	}
	first := 0
	if start > 0 {
		first = c.ends[start-1]
	}
	return bytes.TrimSuffix(c.items[first:c.ends[end-1]], []byte(separator))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
