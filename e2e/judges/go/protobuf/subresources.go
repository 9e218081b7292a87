package main

import (
	"fmt"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func (j *judge) checkSubresources() {
	deployments := j.client.AppsV1().Deployments(j.namespace)
	j.check("scale", func() error {
		scale, err := deployments.GetScale(j.ctx, "full", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if !strings.Contains(scale.Status.Selector, "app=judge") {
			return fmt.Errorf("the selector is %q", scale.Status.Selector)
		}
		scale.Spec.Replicas = 3
		updated, err := deployments.UpdateScale(j.ctx, "full", scale, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		return contains(updated, &autoscalingv1.Scale{Spec: autoscalingv1.ScaleSpec{Replicas: 3}})
	})
	j.check("status", func() error {
		object, err := deployments.Get(j.ctx, "full", metav1.GetOptions{})
		if err != nil {
			return err
		}
		object.Status.Replicas = 3
		object.Status.ObservedGeneration = object.Generation
		updated, err := deployments.UpdateStatus(j.ctx, object, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		if updated.Status.Replicas != 3 || updated.Status.ObservedGeneration != object.Generation {
			return fmt.Errorf("status is %v", updated.Status)
		}
		return nil
	})
	j.check("status of Pod with conditions and times", func() error {
		pods := j.client.CoreV1().Pods(j.namespace)
		object, err := pods.Get(j.ctx, "full", metav1.GetOptions{})
		if err != nil {
			return err
		}
		started := metav1.NewTime(time.Unix(1_700_000_000, 0))
		object.Status = corev1.PodStatus{
			Phase:     corev1.PodRunning,
			StartTime: &started,
			Conditions: []corev1.PodCondition{{
				Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: started, Reason: "Judged",
			}},
			ContainerStatuses: []corev1.ContainerStatus{{
				Name: "main", Ready: true, RestartCount: 2, Image: "example.com/image:2", ImageID: "id",
				State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}},
			}},
		}
		expected := object.DeepCopy()
		updated, err := pods.UpdateStatus(j.ctx, object, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		return contains(updated, &corev1.Pod{Status: expected.Status})
	})
	j.check("evict", func() error {
		eviction := &policyv1.Eviction{
			ObjectMeta:    metav1.ObjectMeta{Name: "full", Namespace: j.namespace},
			DeleteOptions: &metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)},
		}
		if err := j.client.PolicyV1().Evictions(j.namespace).Evict(j.ctx, eviction); err != nil {
			return err
		}
		if _, err := j.client.CoreV1().Pods(j.namespace).Get(j.ctx, "full", metav1.GetOptions{}); !errors.IsNotFound(err) {
			return fmt.Errorf("the pod exists, or: %v", err)
		}
		return nil
	})
	j.check("token", func() error {
		request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To[int64](900)}}
		token, err := j.client.CoreV1().ServiceAccounts(j.namespace).CreateToken(j.ctx, "full", request, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		if token.Status.Token == "" || token.Status.ExpirationTimestamp.IsZero() {
			return fmt.Errorf("status is %v", token.Status)
		}
		review, err := j.client.AuthenticationV1().TokenReviews().Create(j.ctx,
			&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token.Status.Token}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		if user := review.Status.User.Username; !review.Status.Authenticated || user != "system:serviceaccount:"+j.namespace+":full" {
			return fmt.Errorf("the user is %q, %s", user, review.Status.Error)
		}
		return nil
	})
	j.check("access reviews", func() error {
		attributes := &authorizationv1.ResourceAttributes{Namespace: j.namespace, Verb: "get", Resource: "pods"}
		own, err := j.client.AuthorizationV1().SelfSubjectAccessReviews().Create(j.ctx,
			&authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: attributes}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		other, err := j.client.AuthorizationV1().SubjectAccessReviews().Create(j.ctx,
			&authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
				User: "nobody", Extra: map[string]authorizationv1.ExtraValue{"scope": {"a", "b"}}, ResourceAttributes: attributes,
			}}, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		if !own.Status.Allowed || other.Status.Allowed {
			return fmt.Errorf("allowed are %v and %v", own.Status.Allowed, other.Status.Allowed)
		}
		if extra := other.Spec.Extra["scope"]; len(extra) != 2 {
			return fmt.Errorf("extra is %v", other.Spec.Extra)
		}
		return nil
	})
}
