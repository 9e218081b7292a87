// Command golden writes what Kubernetes' own encoders make of objects. It reads one object in JSON from each line of
// its input, and answers each with a line of JSON: the object in protobuf, and in the JSON of its Go type.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type answer struct {
	Protobuf string          `json:"protobuf,omitempty"`
	JSON     json.RawMessage `json:"json,omitempty"`
	Error    string          `json:"error,omitempty"`
}

// maxLine is the longest object that is read, in bytes.
const maxLine = 16 << 20

func main() {
	types := scheme.Scheme
	for _, add := range []func(*runtime.Scheme) error{apiextensions.AddToScheme, apiregistration.AddToScheme, metav1.AddMetaToScheme} {
		if err := add(types); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	encoder := protobuf.NewSerializer(types, types)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, maxLine)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := output.Encode(encode(types, encoder, lines.Bytes())); err != nil {
			os.Exit(2)
		}
	}
}

func encode(types *runtime.Scheme, encoder runtime.Encoder, line []byte) answer {
	var typeMeta metav1.TypeMeta
	if err := json.Unmarshal(line, &typeMeta); err != nil {
		return answer{Error: err.Error()}
	}
	kind := schema.FromAPIVersionAndKind(typeMeta.APIVersion, typeMeta.Kind)
	object, err := types.New(kind)
	if err != nil {
		return answer{Error: err.Error()}
	}
	if err := json.Unmarshal(line, object); err != nil {
		return answer{Error: err.Error()}
	}
	var bytes bytes.Buffer
	if err := encoder.Encode(object, &bytes); err != nil {
		return answer{Error: err.Error()}
	}
	text, err := json.Marshal(object)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Protobuf: base64.StdEncoding.EncodeToString(bytes.Bytes()), JSON: text}
}
