// Command protobuf checks an API server with typed clients that send and accept protobuf. It takes the path of a
// kubeconfig, prints one line for each check, and exits with 1 if a check failed.
//
// It compares what it reads with what it wrote: the server may add fields, but must keep those that were written.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	protobuf = "application/vnd.kubernetes.protobuf"
	// timeout of the whole run.
	timeout = 2 * time.Minute
)

// judge runs checks in one namespace.
type judge struct {
	ctx       context.Context
	config    *rest.Config
	client    kubernetes.Interface
	namespace string
	failed    int
}

// check runs one check and prints its result.
func (j *judge) check(name string, run func() error) {
	if err := run(); err != nil {
		j.failed++
		fmt.Printf("FAIL %s: %v\n", name, err)
		return
	}
	fmt.Printf("ok   %s\n", name)
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: protobuf KUBECONFIG")
		os.Exit(2)
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	config.ContentType = protobuf
	config.AcceptContentTypes = protobuf
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	j := &judge{ctx: ctx, config: config, client: client, namespace: fmt.Sprintf("judge-%d", time.Now().UnixNano())}
	j.checkNamespace()
	j.checkKinds()
	j.checkVerbs()
	j.checkSubresources()
	j.checkWatches()
	j.checkDefinitions()
	if j.failed > 0 {
		fmt.Printf("%d checks failed\n", j.failed)
		os.Exit(1)
	}
}
