package main

import (
	"context"
	"log"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
)

// syncObjects fills the cache of a cluster, and in the row "watch" also follows the updates.
func syncObjects(ctx context.Context, job *assignment, steps *conversation) error {
	steps.report(nil)
	steps.next()
	cl, err := cluster.New(job.config(job.URLs[0], job.Token))
	if err != nil {
		return err
	}
	informer, err := cl.GetCache().GetInformer(ctx, objectOf(job.Resource))
	if err != nil {
		return err
	}
	added, updated := newCountdown(job.Objects), newCountdown(job.Updates)
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { added.tick() },
		UpdateFunc: func(_, _ any) { updated.tick() },
	}); err != nil {
		return err
	}
	go func() { log.Fatal(cl.Start(ctx)) }()
	<-added.done
	steps.report(nil)
	if job.Updates == 0 {
		return nil
	}
	steps.next()
	<-updated.done
	steps.report(nil)
	return nil
}

func objectOf(resource string) client.Object {
	switch resource {
	case "pods":
		return &corev1.Pod{}
	case "configmaps":
		return &corev1.ConfigMap{}
	default:
		widget := &unstructured.Unstructured{}
		widget.SetAPIVersion("example.com/v1")
		widget.SetKind("Widget")
		return widget
	}
}
