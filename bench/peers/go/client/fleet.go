package main

import (
	"context"
	"fmt"
	"log"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	mcbuilder "sigs.k8s.io/multicluster-runtime/pkg/builder"
	mchandler "sigs.k8s.io/multicluster-runtime/pkg/handler"
	mcmanager "sigs.k8s.io/multicluster-runtime/pkg/manager"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"
)

// fleet is a manager whose provider has the clusters of the job.
type fleet struct {
	mcmanager.Manager
	provider *provider
	job      *assignment
}

func newFleet(job *assignment) (*fleet, error) {
	p := newProvider()
	m, err := mcmanager.New(job.config(job.Hub, job.Token), p, manager.Options{
		Metrics: metricsserver.Options{BindAddress: "0"},
	})
	return &fleet{Manager: m, provider: p, job: job}, err
}

func (f *fleet) start(ctx context.Context) {
	go func() { log.Fatal(f.Start(ctx)) }()
	<-f.provider.started
}

// setClusters adds the clusters of the job, or replaces those with another token. Several clusters connect at once.
func (f *fleet) setClusters(ctx context.Context, token string) {
	indices := make(chan int)
	var done sync.WaitGroup
	for range workers {
		done.Go(func() {
			for index := range indices {
				cl, err := cluster.New(f.job.config(f.job.URLs[index], token))
				if err == nil {
					name := multicluster.ClusterName(fmt.Sprintf("cluster-%d", index))
					err = f.provider.set(ctx, name, cl, f)
				}
				if err != nil {
					log.Fatal(err)
				}
			}
		})
	}
	for index := range f.job.URLs {
		indices <- index
	}
	close(indices)
	done.Wait()
}

// engage ends when each object of three kinds has been reconciled once; objects of different kinds have different names.
func engage(ctx context.Context, job *assignment, steps *conversation) error {
	f, err := newFleet(job)
	if err != nil {
		return err
	}
	reconciled := newCountdown(len(job.URLs) * job.Objects * 3)
	builder := mcbuilder.ControllerManagedBy(f).Named("three-kinds").
		WithOptions(controller.TypedOptions[mcreconcile.Request]{MaxConcurrentReconciles: workers})
	for _, object := range []client.Object{&corev1.ConfigMap{}, &corev1.Secret{}, &corev1.ServiceAccount{}} {
		builder = builder.Watches(object, mchandler.EnqueueRequestForObject)
	}
	err = builder.Complete(mcreconcile.Func(func(context.Context, mcreconcile.Request) (reconcile.Result, error) {
		reconciled.tick()
		return reconcile.Result{}, nil
	}))
	if err != nil {
		return err
	}
	steps.report(nil)
	steps.next()
	f.start(ctx)
	f.setClusters(ctx, job.Token)
	<-reconciled.done
	steps.report(nil)
	return nil
}

// reconcileConfigMaps calls onReconcile with each ConfigMap as the cache has it when its reconcile starts.
func (f *fleet) reconcileConfigMaps(onReconcile func(mcreconcile.Request, *corev1.ConfigMap)) error {
	return mcbuilder.ControllerManagedBy(f).For(&corev1.ConfigMap{}).
		WithOptions(controller.TypedOptions[mcreconcile.Request]{MaxConcurrentReconciles: workers}).
		Complete(mcreconcile.Func(func(ctx context.Context, request mcreconcile.Request) (reconcile.Result, error) {
			cl, err := f.GetCluster(ctx, request.ClusterName)
			if err != nil {
				return reconcile.Result{}, err
			}
			var object corev1.ConfigMap
			if err := cl.GetClient().Get(ctx, request.NamespacedName, &object); err != nil {
				return reconcile.Result{}, client.IgnoreNotFound(err)
			}
			onReconcile(request, &object)
			return reconcile.Result{}, nil
		}))
}

func latency(ctx context.Context, job *assignment, steps *conversation) error {
	f, err := newFleet(job)
	if err != nil {
		return err
	}
	initial, changes := newCountdown(len(job.URLs)*job.Objects), newCountdown(len(job.URLs)*job.Updates)
	var mu sync.Mutex
	var latencies []float64
	err = f.reconcileConfigMaps(func(_ mcreconcile.Request, object *corev1.ConfigMap) {
		now := time.Now().UnixMicro()
		at, err := strconv.ParseInt(object.Data["at"], 10, 64)
		if err != nil {
			initial.tick()
			return
		}
		mu.Lock()
		latencies = append(latencies, float64(now-at)/1000)
		mu.Unlock()
		changes.tick()
	})
	if err != nil {
		return err
	}
	steps.report(nil)
	steps.next()
	f.start(ctx)
	f.setClusters(ctx, job.Token)
	<-initial.done
	steps.report(nil)
	steps.next()
	<-changes.done
	steps.report(percentiles(latencies))
	return nil
}

// rotate replaces the token of every cluster, and ends when each cluster has reconciled a change that came afterwards.
// Providers of multicluster-runtime replace the cluster when its configuration changes, and so does this one.
func rotate(ctx context.Context, job *assignment, steps *conversation) error {
	f, err := newFleet(job)
	if err != nil {
		return err
	}
	initial := newCountdown(len(job.URLs) * job.Objects)
	current := newCountdown(len(job.URLs))
	var changed sync.Map
	var reconciled atomic.Int64
	err = f.reconcileConfigMaps(func(request mcreconcile.Request, object *corev1.ConfigMap) {
		reconciled.Add(1)
		initial.tick()
		version, _ := strconv.ParseInt(object.ResourceVersion, 10, 64)
		if version <= listed {
			return
		}
		if _, seen := changed.LoadOrStore(request.ClusterName, true); !seen {
			current.tick()
		}
	})
	if err != nil {
		return err
	}
	steps.report(nil)
	steps.next()
	f.start(ctx)
	f.setClusters(ctx, job.Token)
	<-initial.done
	steps.report(nil)
	token, _ := steps.next()
	f.setClusters(ctx, token)
	steps.report(nil)
	steps.next()
	<-current.done
	superfluous := int(reconciled.Load()) - len(job.URLs)*job.Objects - len(job.URLs)
	steps.report(map[string]float64{"reconciles": float64(superfluous)})
	return nil
}

// start ends when a manager without clusters is running.
func start(ctx context.Context, job *assignment, steps *conversation) error {
	f, err := newFleet(job)
	if err != nil {
		return err
	}
	f.start(ctx)
	steps.report(nil)
	return nil
}
