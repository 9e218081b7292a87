package main

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

func (j *judge) checkNamespace() {
	j.check("create Namespace", func() error {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: j.namespace, Labels: map[string]string{"judge": "protobuf"}}}
		created, err := j.client.CoreV1().Namespaces().Create(j.ctx, namespace, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		return contains(created, namespace)
	})
}

// typedClient is the part of typed clients that the checks use.
type typedClient[T runtime.Object, L runtime.Object] interface {
	Create(ctx ctx, object T, options metav1.CreateOptions) (T, error)
	Update(ctx ctx, object T, options metav1.UpdateOptions) (T, error)
	Get(ctx ctx, name string, options metav1.GetOptions) (T, error)
	List(ctx ctx, options metav1.ListOptions) (L, error)
	Delete(ctx ctx, name string, options metav1.DeleteOptions) error
}

// checkKind creates, reads, lists, updates and deletes one object.
func checkKind[T interface {
	runtime.Object
	metav1.Object
}, L runtime.Object](j *judge, kind string, client typedClient[T, L], object T) {
	object.SetName("full")
	object.SetLabels(map[string]string{"app": "judge"})
	j.check("create "+kind, func() error {
		created, err := client.Create(j.ctx, object, metav1.CreateOptions{FieldManager: "judge", FieldValidation: "Strict"})
		if err != nil {
			return err
		}
		if fields := created.GetManagedFields(); len(fields) != 1 || fields[0].FieldsV1 == nil || fields[0].Manager != "judge" {
			return fmt.Errorf("managedFields are %v", fields)
		}
		return contains(created, object)
	})
	j.check("get "+kind, func() error {
		read, err := client.Get(j.ctx, "full", metav1.GetOptions{})
		if err != nil {
			return err
		}
		return contains(read, object)
	})
	j.check("update "+kind, func() error {
		read, err := client.Get(j.ctx, "full", metav1.GetOptions{})
		if err != nil {
			return err
		}
		read.SetAnnotations(map[string]string{"updated": "yes"})
		updated, err := client.Update(j.ctx, read, metav1.UpdateOptions{})
		if err != nil {
			return err
		}
		if updated.GetAnnotations()["updated"] != "yes" || updated.GetResourceVersion() == read.GetResourceVersion() {
			return fmt.Errorf("got version %s with annotations %v", updated.GetResourceVersion(), updated.GetAnnotations())
		}
		return contains(updated, object)
	})
	j.check("list "+kind, func() error {
		list, err := client.List(j.ctx, metav1.ListOptions{LabelSelector: "app=judge", Limit: 5})
		if err != nil {
			return err
		}
		items, err := itemsOf(list)
		if err != nil {
			return err
		}
		if len(items) != 1 {
			return fmt.Errorf("got %d items", len(items))
		}
		return contains(items[0], object)
	})
}

func (j *judge) checkKinds() {
	namespace := j.namespace
	now := time.Date(2026, 1, 2, 3, 4, 5, 678_901_000, time.UTC)
	checkKind(j, "ConfigMap", j.client.CoreV1().ConfigMaps(namespace), &corev1.ConfigMap{
		Data:       map[string]string{"text": "value", "empty": ""},
		BinaryData: map[string][]byte{"binary": {0, 1, 254, 255}},
		Immutable:  ptr.To(false),
	})
	checkKind(j, "Secret", j.client.CoreV1().Secrets(namespace), &corev1.Secret{
		Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{"password": []byte("secret"), "empty": {}},
	})
	checkKind(j, "ServiceAccount", j.client.CoreV1().ServiceAccounts(namespace), &corev1.ServiceAccount{
		ImagePullSecrets:             []corev1.LocalObjectReference{{Name: "registry"}},
		AutomountServiceAccountToken: ptr.To(false),
	})
	checkKind(j, "Pod", j.client.CoreV1().Pods(namespace), pod())
	checkKind(j, "Service", j.client.CoreV1().Services(namespace), &corev1.Service{Spec: corev1.ServiceSpec{
		Selector: map[string]string{"app": "judge"},
		Ports: []corev1.ServicePort{
			{Name: "http", Port: 80, TargetPort: intstr.FromString("web"), Protocol: corev1.ProtocolTCP},
			{Name: "dns", Port: 53, TargetPort: intstr.FromInt32(5353), Protocol: corev1.ProtocolUDP},
		},
	}})
	checkKind(j, "Deployment", j.client.AppsV1().Deployments(namespace), &appsv1.Deployment{Spec: appsv1.DeploymentSpec{
		Replicas: ptr.To[int32](0),
		Selector: &metav1.LabelSelector{
			MatchLabels:      map[string]string{"app": "judge"},
			MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "tier", Operator: metav1.LabelSelectorOpIn, Values: []string{"a", "b"}}},
		},
		Template: template(),
		Strategy: appsv1.DeploymentStrategy{
			Type: appsv1.RollingUpdateDeploymentStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDeployment{
				MaxSurge:       ptr.To(intstr.FromString("30%")),
				MaxUnavailable: ptr.To(intstr.FromInt32(0)),
			},
		},
		RevisionHistoryLimit: ptr.To[int32](3),
	}})
	checkKind(j, "Job", j.client.BatchV1().Jobs(namespace), &batchv1.Job{Spec: batchv1.JobSpec{
		Parallelism:             ptr.To[int32](2),
		Completions:             ptr.To[int32](4),
		BackoffLimit:            ptr.To[int32](0),
		ActiveDeadlineSeconds:   ptr.To[int64](3_000_000_000),
		TTLSecondsAfterFinished: ptr.To[int32](60),
		Template:                jobTemplate(),
	}})
	checkKind(j, "CronJob", j.client.BatchV1().CronJobs(namespace), &batchv1.CronJob{Spec: batchv1.CronJobSpec{
		Schedule:          "*/5 * * * *",
		TimeZone:          ptr.To("Etc/UTC"),
		ConcurrencyPolicy: batchv1.ForbidConcurrent,
		Suspend:           ptr.To(true),
		JobTemplate:       batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: jobTemplate()}},
	}})
	checkKind(j, "Lease", j.client.CoordinationV1().Leases(namespace), &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{
		HolderIdentity:       ptr.To("judge"),
		LeaseDurationSeconds: ptr.To[int32](15),
		AcquireTime:          &metav1.MicroTime{Time: now},
		RenewTime:            &metav1.MicroTime{Time: now},
		LeaseTransitions:     ptr.To[int32](0),
	}})
	checkKind(j, "HorizontalPodAutoscaler", j.client.AutoscalingV2().HorizontalPodAutoscalers(namespace),
		&autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "full"},
			MinReplicas:    ptr.To[int32](1),
			MaxReplicas:    5,
			Metrics: []autoscalingv2.MetricSpec{
				{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
					Name:   corev1.ResourceCPU,
					Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: ptr.To[int32](50)},
				}},
				{Type: autoscalingv2.PodsMetricSourceType, Pods: &autoscalingv2.PodsMetricSource{
					Metric: autoscalingv2.MetricIdentifier{Name: "requests"},
					Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: ptr.To(resource.MustParse("1500m"))},
				}},
			},
		}})
	checkKind(j, "PodDisruptionBudget", j.client.PolicyV1().PodDisruptionBudgets(namespace), &policyv1.PodDisruptionBudget{
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: ptr.To(intstr.FromString("50%")),
			Selector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "other"}},
		},
	})
	checkKind(j, "Ingress", j.client.NetworkingV1().Ingresses(namespace), &networkingv1.Ingress{Spec: networkingv1.IngressSpec{
		Rules: []networkingv1.IngressRule{{
			Host: "example.com",
			IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
				Paths: []networkingv1.HTTPIngressPath{{
					Path:     "/",
					PathType: ptr.To(networkingv1.PathTypePrefix),
					Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{
						Name: "full", Port: networkingv1.ServiceBackendPort{Number: 80},
					}},
				}},
			}},
		}},
	}})
	checkKind(j, "EndpointSlice", j.client.DiscoveryV1().EndpointSlices(namespace), &discoveryv1.EndpointSlice{
		AddressType: discoveryv1.AddressTypeIPv4,
		Endpoints:   []discoveryv1.Endpoint{{Addresses: []string{"10.0.0.1"}, Conditions: discoveryv1.EndpointConditions{Ready: ptr.To(true)}}},
		Ports:       []discoveryv1.EndpointPort{{Name: ptr.To("http"), Port: ptr.To[int32](80), Protocol: ptr.To(corev1.ProtocolTCP)}},
	})
	checkKind(j, "Role", j.client.RbacV1().Roles(namespace), &rbacv1.Role{
		Rules: []rbacv1.PolicyRule{{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}, ResourceNames: []string{"one"}}},
	})
	checkKind(j, "Event", j.client.EventsV1().Events(namespace), &eventsv1.Event{
		EventTime:           metav1.MicroTime{Time: now},
		ReportingController: "example.com/judge",
		ReportingInstance:   "judge-1",
		Action:              "Judging",
		Reason:              "Judged",
		Type:                corev1.EventTypeNormal,
		Note:                "checked",
		Regarding:           corev1.ObjectReference{Kind: "Pod", Name: "full", Namespace: namespace},
	})
	checkKind(j, "PersistentVolumeClaim", j.client.CoreV1().PersistentVolumeClaims(namespace), &corev1.PersistentVolumeClaim{
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}},
		},
	})
	checkKind(j, "ResourceQuota", j.client.CoreV1().ResourceQuotas(namespace), &corev1.ResourceQuota{
		Spec: corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourceServices: resource.MustParse("100")}},
	})
}

func container() corev1.Container {
	return corev1.Container{
		Name:    "main",
		Image:   "example.com/image:1",
		Command: []string{"run", "--fast"},
		Env: []corev1.EnvVar{
			{Name: "PLAIN", Value: "value"},
			{Name: "FIELD", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"}}},
			{Name: "SECRET", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{
				LocalObjectReference: corev1.LocalObjectReference{Name: "full"}, Key: "password", Optional: ptr.To(true),
			}}},
		},
		Ports: []corev1.ContainerPort{{Name: "web", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m"), corev1.ResourceMemory: resource.MustParse("64Mi")},
			Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
		},
		VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: "/etc/config", ReadOnly: true}},
		LivenessProbe: &corev1.Probe{
			ProbeHandler:   corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/livez", Port: intstr.FromString("web")}},
			PeriodSeconds:  5,
			TimeoutSeconds: 2,
		},
		ReadinessProbe: &corev1.Probe{
			ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(8080)}},
		},
		SecurityContext: &corev1.SecurityContext{
			RunAsUser:              ptr.To[int64](1000),
			ReadOnlyRootFilesystem: ptr.To(true),
			Capabilities:           &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
		},
	}
}

func pod() *corev1.Pod {
	return &corev1.Pod{Spec: corev1.PodSpec{
		Containers:                    []corev1.Container{container()},
		InitContainers:                []corev1.Container{{Name: "init", Image: "example.com/init"}},
		TerminationGracePeriodSeconds: ptr.To[int64](0),
		NodeSelector:                  map[string]string{"disk": "ssd"},
		Tolerations: []corev1.Toleration{
			{Key: "special", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](30)},
			// With these two, the server adds none.
			{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](60)},
			{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](60)},
		},
		Affinity: &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
				Weight: 10,
				PodAffinityTerm: corev1.PodAffinityTerm{
					TopologyKey:   "kubernetes.io/hostname",
					LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "judge"}},
				},
			}},
		}},
		Volumes: []corev1.Volume{
			{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
				LocalObjectReference: corev1.LocalObjectReference{Name: "full"}, DefaultMode: ptr.To[int32](0o440),
				Items: []corev1.KeyToPath{{Key: "text", Path: "text"}},
			}}},
			{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: ptr.To(resource.MustParse("10Mi"))}}},
		},
		TopologySpreadConstraints: []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: corev1.ScheduleAnyway,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "judge"}},
		}},
		HostAliases: []corev1.HostAlias{{IP: "127.0.0.1", Hostnames: []string{"local"}}},
	}}
}

func template() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "judge", "tier": "a"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "example.com/image:1"}}},
	}
}

func jobTemplate() corev1.PodTemplateSpec {
	template := template()
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	return template
}
