package main

import (
	"context"
	"fmt"
	"log"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
)

// provider engages the clusters that it is given. It does not build on clusters.Clusters, whose AddOrReplace loses a
// replacement: when the replaced cluster has stopped, it removes whatever has its name by then.
type provider struct {
	started chan struct{}

	mu      sync.RWMutex
	engaged map[multicluster.ClusterName]engagement
}

type engagement struct {
	cluster cluster.Cluster
	cancel  context.CancelFunc
}

func newProvider() *provider {
	return &provider{started: make(chan struct{}), engaged: map[multicluster.ClusterName]engagement{}}
}

// Start keeps the provider running; clusters are set from outside.
func (p *provider) Start(ctx context.Context, _ multicluster.Aware) error {
	close(p.started)
	<-ctx.Done()
	return nil
}

func (p *provider) Get(_ context.Context, name multicluster.ClusterName) (cluster.Cluster, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if engaged, ok := p.engaged[name]; ok {
		return engaged.cluster, nil
	}
	return nil, multicluster.ErrClusterNotFound
}

func (p *provider) IndexField(context.Context, client.Object, string, client.IndexerFunc) error {
	return fmt.Errorf("this provider has no indexes")
}

// set engages a cluster, in place of the one that has its name.
func (p *provider) set(ctx context.Context, name multicluster.ClusterName, cl cluster.Cluster, aware multicluster.Aware) error {
	ctx, cancel := context.WithCancel(ctx)
	p.mu.Lock()
	replaced, isReplacement := p.engaged[name]
	p.engaged[name] = engagement{cl, cancel}
	p.mu.Unlock()
	if isReplacement {
		replaced.cancel()
	}
	go func() {
		if err := cl.Start(ctx); err != nil {
			log.Fatal(err)
		}
	}()
	if !cl.GetCache().WaitForCacheSync(ctx) {
		return fmt.Errorf("the cache of %s did not sync", name)
	}
	return aware.Engage(ctx, name, cl)
}
