package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
	mchandler "sigs.k8s.io/multicluster-runtime/pkg/handler"
	"sigs.k8s.io/multicluster-runtime/pkg/multicluster"
	mcreconcile "sigs.k8s.io/multicluster-runtime/pkg/reconcile"
)

// throughQueue adds, gets and completes requests of 100 clusters. One of a hundred is delayed by a millisecond, and with
// priorities a third have the priority of an initial list.
func throughQueue(_ context.Context, job *assignment, steps *conversation) error {
	requests := make([]mcreconcile.Request, job.Objects)
	for i := range requests {
		requests[i] = mcreconcile.Request{
			ClusterName: multicluster.ClusterName(fmt.Sprintf("cluster-%d", i%100)),
			Request:     reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "default", Name: fmt.Sprintf("object-%d", i)}},
		}
	}
	return steps.repeat(func() error {
		var queue workqueue.TypedRateLimitingInterface[mcreconcile.Request]
		if job.variant == "priority" {
			prioritized := priorityqueue.New[mcreconcile.Request]("queue")
			low, normal := -100, 0
			for i, request := range requests {
				options := priorityqueue.AddOpts{Priority: &normal}
				if i%3 == 0 {
					options.Priority = &low
				}
				if i%100 == 0 {
					options.After = time.Millisecond
				}
				prioritized.AddWithOpts(options, request)
			}
			queue = prioritized
		} else {
			queue = workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[mcreconcile.Request]())
			for i, request := range requests {
				if i%100 == 0 {
					queue.AddAfter(request, time.Millisecond)
				} else {
					queue.Add(request)
				}
			}
		}
		for range requests {
			request, shutdown := queue.Get()
			if shutdown {
				return errors.New("the queue ended early")
			}
			queue.Done(request)
		}
		queue.ShutDown()
		return nil
	})
}

// reconcileAll sends events of objects that are cached already from a source through the queue to the workers.
func reconcileAll(ctx context.Context, job *assignment, steps *conversation) error {
	const clusters = 100
	objects := make([]*corev1.ConfigMap, job.Objects/clusters)
	for i := range objects {
		objects[i] = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("object-%d", i)}}
	}
	priority, skip := job.variant == "priority", true
	return steps.repeat(func() error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		reconciled := newCountdown(len(objects) * clusters)
		noOp, err := controller.NewTypedUnmanaged("no-op", controller.TypedOptions[mcreconcile.Request]{
			MaxConcurrentReconciles: workers,
			UsePriorityQueue:        &priority,
			SkipNameValidation:      &skip,
			Logger:                  logr.Discard(),
			Reconciler: mcreconcile.Func(func(context.Context, mcreconcile.Request) (reconcile.Result, error) {
				reconciled.tick()
				return reconcile.Result{}, nil
			}),
		})
		if err != nil {
			return err
		}
		for i := range clusters {
			handler := mchandler.EnqueueRequestForObject(multicluster.ClusterName(fmt.Sprintf("cluster-%d", i)), nil)
			events := source.TypedFunc[mcreconcile.Request](
				func(ctx context.Context, queue workqueue.TypedRateLimitingInterface[mcreconcile.Request]) error {
					go func() {
						for _, object := range objects {
							handler.Create(ctx, event.TypedCreateEvent[client.Object]{Object: object, IsInInitialList: true}, queue)
						}
					}()
					return nil
				})
			if err := noOp.Watch(events); err != nil {
				return err
			}
		}
		ended := make(chan error, 1)
		go func() { ended <- noOp.Start(ctx) }()
		<-reconciled.done
		cancel()
		return <-ended
	})
}
