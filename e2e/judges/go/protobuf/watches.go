package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/ptr"
)

func (j *judge) checkWatches() {
	secrets := j.client.CoreV1().Secrets(j.namespace)
	secret := func(name string) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string][]byte{"name": []byte(name)}}
	}
	j.check("watch", func() error {
		list, err := secrets.List(j.ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		watcher, err := secrets.Watch(j.ctx, metav1.ListOptions{ResourceVersion: list.ResourceVersion})
		if err != nil {
			return err
		}
		defer watcher.Stop()
		created, err := secrets.Create(j.ctx, secret("watched"), metav1.CreateOptions{})
		if err != nil {
			return err
		}
		created.Data["name"] = []byte("changed")
		if _, err := secrets.Update(j.ctx, created, metav1.UpdateOptions{}); err != nil {
			return err
		}
		if err := secrets.Delete(j.ctx, "watched", metav1.DeleteOptions{}); err != nil {
			return err
		}
		for _, expected := range []struct {
			event watch.EventType
			value string
		}{{watch.Added, "watched"}, {watch.Modified, "changed"}, {watch.Deleted, "changed"}} {
			event := <-watcher.ResultChan()
			object, ok := event.Object.(*corev1.Secret)
			if !ok || event.Type != expected.event || string(object.Data["name"]) != expected.value {
				return fmt.Errorf("got %s %v, not %s", event.Type, event.Object, expected.event)
			}
		}
		return nil
	})
	j.check("watch list with a bookmark", func() error {
		watcher, err := secrets.Watch(j.ctx, metav1.ListOptions{
			SendInitialEvents: ptr.To(true), ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan, AllowWatchBookmarks: true,
		})
		if err != nil {
			return err
		}
		defer watcher.Stop()
		for event := range watcher.ResultChan() {
			object := event.Object.(*corev1.Secret)
			if event.Type == watch.Bookmark && object.Annotations[metav1.InitialEventsAnnotationKey] == "true" {
				return nil
			}
		}
		return fmt.Errorf("the watch ended before the bookmark")
	})
	j.check("informer", func() error {
		factory := informers.NewSharedInformerFactoryWithOptions(j.client, 0, informers.WithNamespace(j.namespace))
		informer := factory.Core().V1().Secrets().Informer()
		lister := factory.Core().V1().Secrets().Lister().Secrets(j.namespace)
		added := make(chan string, 10)
		_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc: func(object any) { added <- object.(*corev1.Secret).Name },
		})
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(j.ctx)
		defer cancel()
		factory.Start(ctx.Done())
		factory.WaitForCacheSync(ctx.Done())
		if _, err := secrets.Create(ctx, secret("informed"), metav1.CreateOptions{}); err != nil {
			return err
		}
		for {
			select {
			case name := <-added:
				if name != "informed" {
					continue
				}
				object, err := lister.Get(name)
				if err != nil {
					return err
				}
				return contains(object, secret("informed"))
			case <-time.After(20 * time.Second):
				return fmt.Errorf("no event")
			}
		}
	})
	j.check("leader election", func() error {
		lock := &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Name: "election", Namespace: j.namespace},
			Client:     j.client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: "judge"},
		}
		ctx, cancel := context.WithTimeout(j.ctx, 20*time.Second)
		defer cancel()
		led := false
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock, LeaseDuration: 3 * time.Second, RenewDeadline: 2 * time.Second, RetryPeriod: 200 * time.Millisecond,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) {
					led = true
					// Long enough for some renewals.
					time.Sleep(time.Second)
					cancel()
				},
				OnStoppedLeading: func() {},
			},
		})
		lease, err := j.client.CoordinationV1().Leases(j.namespace).Get(j.ctx, "election", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if !led || lease.Spec.RenewTime == nil || lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != "" {
			return fmt.Errorf("led is %v, the lease is %v", led, lease.Spec)
		}
		return nil
	})
}
