package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// encoding writes what an API server writes, in JSON or in protobuf.
type encoding interface {
	contentType(watch bool) string
	event(eventType string, kind kind, object runtime.Object) []byte
	// bookmark ends the initial events of a watch (KEP-3157).
	bookmark(kind kind) []byte
	// item returns an object as part of a list, with a separator after it. Protobuf lists are not joined from items.
	item(kind kind, object runtime.Object) []byte
	list(r *collection, start, end int) [][]byte
}

var initialEventsEnd = map[string]string{metav1.InitialEventsAnnotationKey: "true"}

func listMetadata(r *collection, end int) metav1.ListMeta {
	metadata := metav1.ListMeta{ResourceVersion: fmt.Sprint(listed)}
	if remaining := int64(r.objects - end); remaining > 0 {
		metadata.Continue = fmt.Sprint(end)
		metadata.RemainingItemCount = &remaining
	}
	return metadata
}

type jsonEncoding struct{}

func (jsonEncoding) contentType(bool) string { return "application/json" }

func (jsonEncoding) event(eventType string, _ kind, object runtime.Object) []byte {
	return fmt.Appendf(nil, "{\"type\":%q,\"object\":%s}\n", eventType, must(json.Marshal(object)))
}

func (e jsonEncoding) bookmark(kind kind) []byte {
	return e.event("BOOKMARK", kind, &metav1.PartialObjectMetadata{
		TypeMeta:   metav1.TypeMeta{Kind: kind.name, APIVersion: kind.apiVersion},
		ObjectMeta: metav1.ObjectMeta{ResourceVersion: fmt.Sprint(listed), Annotations: initialEventsEnd},
	})
}

// item leaves kind and apiVersion out, as API servers do for typed lists.
func (jsonEncoding) item(kind kind, object runtime.Object) []byte {
	body := must(json.Marshal(object))
	typeMeta := fmt.Sprintf("{\"kind\":%q,\"apiVersion\":%q,", kind.name, kind.apiVersion)
	if bare, typed := bytes.CutPrefix(body, []byte(typeMeta)); typed {
		body = append([]byte("{"), bare...)
	}
	return append(body, ',')
}

func (jsonEncoding) list(r *collection, start, end int) [][]byte {
	head := fmt.Appendf(nil, "{\"kind\":\"%sList\",\"apiVersion\":%q,\"metadata\":%s,\"items\":[",
		r.name, r.apiVersion, must(json.Marshal(listMetadata(r, end))))
	return [][]byte{head, r.itemsBetween(start, end, ","), []byte("]}\n")}
}

type protobufEncoding struct{}

var coreScheme = func() *runtime.Scheme {
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		panic(err)
	}
	return scheme
}()

var protobufSerializer = protobuf.NewSerializer(coreScheme, coreScheme)

func (protobufEncoding) contentType(watch bool) string {
	if watch {
		return runtime.ContentTypeProtobuf + ";stream=watch"
	}
	return runtime.ContentTypeProtobuf
}

// event returns a frame: the length in four bytes, then the event.
func (e protobufEncoding) event(eventType string, _ kind, object runtime.Object) []byte {
	event := metav1.WatchEvent{Type: eventType, Object: runtime.RawExtension{Raw: e.encode(object)}}
	body := must(event.Marshal())
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func (e protobufEncoding) bookmark(kind kind) []byte {
	object := kind.build(0, listed)
	accessor := must(meta.Accessor(object))
	accessor.SetName("")
	accessor.SetNamespace("")
	accessor.SetAnnotations(initialEventsEnd)
	return e.event("BOOKMARK", kind, object)
}

func (protobufEncoding) item(kind, runtime.Object) []byte { return nil }

func (e protobufEncoding) list(r *collection, start, end int) [][]byte {
	objects := make([]runtime.Object, 0, end-start)
	for index := start; index < end; index++ {
		objects = append(objects, r.build(index, int64(index+1)))
	}
	list := r.newList()
	list.GetObjectKind().SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind(r.name + "List"))
	if err := meta.SetList(list, objects); err != nil {
		panic(err)
	}
	metadata := listMetadata(r, end)
	accessor := must(meta.ListAccessor(list))
	accessor.SetResourceVersion(metadata.ResourceVersion)
	accessor.SetContinue(metadata.Continue)
	accessor.SetRemainingItemCount(metadata.RemainingItemCount)
	return [][]byte{e.encode(list)}
}

func (protobufEncoding) encode(object runtime.Object) []byte {
	var body bytes.Buffer
	if err := protobufSerializer.Encode(object, &body); err != nil {
		panic(err)
	}
	return body.Bytes()
}
