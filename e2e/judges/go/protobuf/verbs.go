package main

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	appsconfig "k8s.io/client-go/applyconfigurations/apps/v1"
	coreconfig "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/kube-openapi/pkg/util/proto"
	"k8s.io/utils/ptr"
)

func (j *judge) checkVerbs() {
	configMaps := j.client.CoreV1().ConfigMaps(j.namespace)
	j.check("patch ConfigMap", func() error {
		patched, err := configMaps.Patch(j.ctx, "full", types.MergePatchType, []byte(`{"data":{"patched":"yes"}}`), metav1.PatchOptions{})
		if err != nil {
			return err
		}
		return contains(patched, &corev1.ConfigMap{Data: map[string]string{"patched": "yes", "text": "value"}})
	})
	j.check("strategic merge patch of Pod", func() error {
		patch := []byte(`{"metadata":{"annotations":{"patched":"yes"}},"spec":{"containers":[{"name":"main","image":"example.com/image:2"}]}}`)
		patched, err := j.client.CoreV1().Pods(j.namespace).Patch(j.ctx, "full", types.StrategicMergePatchType, patch, metav1.PatchOptions{})
		if err != nil {
			return err
		}
		expected := container()
		expected.Image = "example.com/image:2"
		return contains(patched, &corev1.Pod{Spec: corev1.PodSpec{Containers: []corev1.Container{expected}}})
	})
	j.check("apply ConfigMap", func() error {
		applied := coreconfig.ConfigMap("applied", j.namespace).WithData(map[string]string{"a": "1"})
		result, err := configMaps.Apply(j.ctx, applied, metav1.ApplyOptions{FieldManager: "judge"})
		if err != nil {
			return err
		}
		if fields := result.ManagedFields; len(fields) != 1 || fields[0].Operation != metav1.ManagedFieldsOperationApply ||
			string(fields[0].FieldsV1.Raw) != `{"f:data":{"f:a":{}}}` {
			return fmt.Errorf("managedFields are %v", fields)
		}
		_, err = configMaps.Apply(j.ctx, applied.WithData(map[string]string{"a": "2"}), metav1.ApplyOptions{FieldManager: "other"})
		if !errors.IsConflict(err) || !strings.Contains(err.Error(), "judge") {
			return fmt.Errorf("another manager got %v", err)
		}
		return nil
	})
	j.check("apply Deployment", func() error {
		applied := appsconfig.Deployment("full", j.namespace).WithSpec(appsconfig.DeploymentSpec().WithMinReadySeconds(7))
		result, err := j.client.AppsV1().Deployments(j.namespace).Apply(j.ctx, applied, metav1.ApplyOptions{FieldManager: "judge"})
		if err != nil {
			return err
		}
		if result.Spec.MinReadySeconds != 7 {
			return fmt.Errorf("minReadySeconds is %d", result.Spec.MinReadySeconds)
		}
		return nil
	})
	j.check("errors are Status objects", func() error {
		_, err := configMaps.Get(j.ctx, "none", metav1.GetOptions{})
		if !errors.IsNotFound(err) {
			return fmt.Errorf("get of a missing object got %v", err)
		}
		_, err = configMaps.Create(j.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "full"}}, metav1.CreateOptions{})
		if !errors.IsAlreadyExists(err) {
			return fmt.Errorf("a second create got %v", err)
		}
		_, err = configMaps.Create(j.ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "Not valid"}}, metav1.CreateOptions{})
		if status, ok := err.(errors.APIStatus); !ok || !errors.IsInvalid(err) || len(status.Status().Details.Causes) == 0 {
			return fmt.Errorf("an invalid create got %v", err)
		}
		return nil
	})
	j.check("dry run", func() error {
		object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "dry"}}
		if _, err := configMaps.Create(j.ctx, object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}); err != nil {
			return err
		}
		if _, err := configMaps.Get(j.ctx, "dry", metav1.GetOptions{}); !errors.IsNotFound(err) {
			return fmt.Errorf("the object exists, or: %v", err)
		}
		return nil
	})
	j.check("delete with preconditions", func() error {
		object, err := configMaps.Get(j.ctx, "full", metav1.GetOptions{})
		if err != nil {
			return err
		}
		wrong := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(types.UID("other"))}}
		if err := configMaps.Delete(j.ctx, "full", wrong); !errors.IsConflict(err) {
			return fmt.Errorf("a wrong uid got %v", err)
		}
		right := metav1.DeleteOptions{
			Preconditions:     &metav1.Preconditions{UID: &object.UID, ResourceVersion: &object.ResourceVersion},
			PropagationPolicy: ptr.To(metav1.DeletePropagationBackground),
		}
		if err := configMaps.Delete(j.ctx, "full", right); err != nil {
			return err
		}
		if _, err := configMaps.Get(j.ctx, "full", metav1.GetOptions{}); !errors.IsNotFound(err) {
			return fmt.Errorf("the object exists, or: %v", err)
		}
		return nil
	})
	j.check("delete in the foreground waits for dependents", func() error {
		jobs := j.client.BatchV1().Jobs(j.namespace)
		if err := jobs.Delete(j.ctx, "full", metav1.DeleteOptions{PropagationPolicy: ptr.To(metav1.DeletePropagationForeground)}); err != nil {
			return err
		}
		job, err := jobs.Get(j.ctx, "full", metav1.GetOptions{})
		if errors.IsNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if job.DeletionTimestamp == nil || len(job.Finalizers) != 1 || job.Finalizers[0] != metav1.FinalizerDeleteDependents {
			return fmt.Errorf("deletionTimestamp is %v, finalizers are %v", job.DeletionTimestamp, job.Finalizers)
		}
		return nil
	})
	j.check("delete a collection", func() error {
		for _, name := range []string{"c1", "c2"} {
			object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"collection": "yes"}}}
			if _, err := configMaps.Create(j.ctx, object, metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		selector := metav1.ListOptions{LabelSelector: "collection=yes"}
		if err := configMaps.DeleteCollection(j.ctx, metav1.DeleteOptions{}, selector); err != nil {
			return err
		}
		list, err := configMaps.List(j.ctx, selector)
		if err == nil && len(list.Items) > 0 {
			err = fmt.Errorf("%d objects are left", len(list.Items))
		}
		return err
	})
	j.check("pages of a list", func() error {
		for index := range 5 {
			object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("page-%d", index), Labels: map[string]string{"page": "yes"}}}
			if _, err := configMaps.Create(j.ctx, object, metav1.CreateOptions{}); err != nil {
				return err
			}
		}
		options := metav1.ListOptions{LabelSelector: "page=yes", Limit: 2}
		count := 0
		for {
			page, err := configMaps.List(j.ctx, options)
			if err != nil {
				return err
			}
			count += len(page.Items)
			if options.Continue = page.Continue; options.Continue == "" {
				break
			}
		}
		if count != 5 {
			return fmt.Errorf("got %d objects", count)
		}
		return nil
	})
	j.check("discovery", func() error {
		resources, err := j.client.Discovery().ServerResourcesForGroupVersion("apps/v1")
		if err != nil {
			return err
		}
		if len(resources.APIResources) < 4 {
			return fmt.Errorf("apps/v1 has %d resources", len(resources.APIResources))
		}
		return nil
	})
	j.check("OpenAPI v2", func() error {
		document, err := j.client.Discovery().OpenAPISchema()
		if err != nil {
			return err
		}
		models, err := proto.NewOpenAPIData(document)
		if err != nil {
			return err
		}
		for _, name := range models.ListModels() {
			if strings.HasSuffix(name, ".v1.Deployment") {
				kind, ok := models.LookupModel(name).(*proto.Kind)
				if !ok || kind.Fields["spec"] == nil {
					return fmt.Errorf("the model of Deployment is %v", models.LookupModel(name))
				}
				return nil
			}
		}
		return fmt.Errorf("there is no model of Deployment among %d", len(models.ListModels()))
	})
	j.check("metadata of objects", func() error {
		client, err := metadata.NewForConfig(j.config)
		if err != nil {
			return err
		}
		resource := client.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(j.namespace)
		list, err := resource.List(j.ctx, metav1.ListOptions{LabelSelector: "page=yes"})
		if err != nil {
			return err
		}
		if len(list.Items) != 5 || list.Items[0].Labels["page"] != "yes" {
			return fmt.Errorf("got %v", list.Items)
		}
		return nil
	})
}
