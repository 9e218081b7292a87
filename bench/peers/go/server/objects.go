package main

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

var created = metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))

// metadata returns what every object has. The uid looks random but depends on kind and index alone.
func metadata(kind string, index int, version int64) (metav1.ObjectMeta, *rand.Rand) {
	seed := uint64(len(kind))
	for _, letter := range []byte(kind) {
		seed = seed*31 + uint64(letter)
	}
	random := rand.New(rand.NewPCG(seed, uint64(index)))
	uid := fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x",
		random.Uint32(), random.Uint32()>>16, random.Uint32()>>20, random.Uint32()>>20, random.Uint64()>>16)
	return metav1.ObjectMeta{
		Name:              kind + "-" + strconv.Itoa(index),
		Namespace:         "default",
		UID:               types.UID(uid),
		ResourceVersion:   strconv.FormatInt(version, 10),
		Generation:        1,
		CreationTimestamp: created,
	}, random
}

// newPod returns a Pod of about 1.7 KB of JSON.
func newPod(index int, version int64) runtime.Object {
	meta, _ := metadata("pod", index, version)
	app := fmt.Sprintf("checkout-%d", index%500)
	tier := []string{"backend", "frontend"}[index%2]
	yes, seconds, grace := true, int64(300), int64(30)
	meta.Labels = map[string]string{"app": app, "pod-template-hash": "5d59d67564", "tier": tier}
	meta.Annotations = map[string]string{
		"kubernetes.io/config.seen": "2026-01-01T00:00:00.000000000Z",
		"prometheus.io/scrape":      "true",
		"prometheus.io/port":        "9102",
	}
	meta.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app + "-5d59d67564",
		UID: "2f0a3d5c-6d7a-4f37-9d46-0b9c6f1d7a11", Controller: &yes, BlockOwnerDeletion: &yes,
	}}
	quantities := func(cpu, memory string) corev1.ResourceList {
		return corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse(cpu),
			corev1.ResourceMemory: resource.MustParse(memory),
		}
	}
	return &corev1.Pod{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: meta,
		Spec: corev1.PodSpec{
			Containers: []corev1.Container{{
				Name:  "server",
				Image: fmt.Sprintf("registry.example.com/shop/checkout:v1.%d.3", index%40),
				Args:  []string{"--listen=:8080", "--metrics=:9102", "--log-level=info"},
				Ports: []corev1.ContainerPort{
					{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP},
					{Name: "metrics", ContainerPort: 9102, Protocol: corev1.ProtocolTCP},
				},
				Env: []corev1.EnvVar{
					{Name: "REGION", Value: "eu-central-1"},
					{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{
						FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"},
					}},
				},
				Resources: corev1.ResourceRequirements{
					Limits:   quantities("500m", "512Mi"),
					Requests: quantities("100m", "128Mi"),
				},
				ReadinessProbe: &corev1.Probe{
					ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
						Path: "/readyz", Port: intstr.FromInt32(8080), Scheme: corev1.URISchemeHTTP,
					}},
					PeriodSeconds: 10,
				},
				TerminationMessagePath:   "/dev/termination-log",
				TerminationMessagePolicy: corev1.TerminationMessageReadFile,
				ImagePullPolicy:          corev1.PullIfNotPresent,
			}},
			RestartPolicy:                 corev1.RestartPolicyAlways,
			TerminationGracePeriodSeconds: &grace,
			DNSPolicy:                     corev1.DNSClusterFirst,
			ServiceAccountName:            "checkout",
			NodeName:                      fmt.Sprintf("node-%d", index%100),
			SchedulerName:                 "default-scheduler",
			Tolerations: []corev1.Toleration{{
				Key: "node.kubernetes.io/not-ready", Operator: corev1.TolerationOpExists,
				Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
			}},
		},
	}
}

// newConfigMap returns a ConfigMap of about 1 KB of JSON. At is the time of a change, or empty.
func newConfigMap(index int, version int64, at string) runtime.Object {
	meta, random := metadata("configmap", index, version)
	meta.Labels = map[string]string{"app": fmt.Sprintf("checkout-%d", index%500), "tier": "backend"}
	data := map[string]string{
		"log-level":  "info",
		"checksum":   fmt.Sprintf("%016x%016x", random.Uint64(), random.Uint64()),
		"app.yaml":   configuration(index, random),
		"feature.on": strconv.FormatBool(index%3 == 0),
	}
	if at != "" {
		data["at"] = at
	}
	return &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: meta, Data: data}
}

func configuration(index int, random *rand.Rand) string {
	text := fmt.Sprintf("listen: :8080\nregion: eu-central-%d\nbackends:\n", index%3)
	for range 6 {
		text += fmt.Sprintf("  - name: backend-%d\n    weight: %d\n    zone: %x\n    timeout: %dms\n",
			random.IntN(10_000), random.IntN(100), random.Uint32(), random.IntN(5_000))
	}
	return text
}

func newSecret(index int, version int64) runtime.Object {
	meta, random := metadata("secret", index, version)
	password := make([]byte, 48)
	for i := range password {
		password[i] = byte(random.Uint32())
	}
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: meta,
		Type:       corev1.SecretTypeOpaque,
		Data:       map[string][]byte{"password": []byte(base64.StdEncoding.EncodeToString(password))},
	}
}

func newServiceAccount(index int, version int64) runtime.Object {
	meta, _ := metadata("serviceaccount", index, version)
	return &corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: meta}
}

// newWidget returns a custom resource of about 1.4 KB of JSON.
func newWidget(index int, version int64) runtime.Object {
	meta, random := metadata("widget", index, version)
	parts := make([]any, 6)
	for i := range parts {
		parts[i] = map[string]any{
			"name":     fmt.Sprintf("part-%d", random.IntN(100_000)),
			"material": []string{"steel", "brass", "oak", "glass"}[random.IntN(4)],
			"count":    int64(random.IntN(1_000)),
			"weight":   float64(random.IntN(100_000)) / 100,
		}
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1",
		"kind":       "Widget",
		"metadata": map[string]any{
			"name":              meta.Name,
			"namespace":         meta.Namespace,
			"uid":               string(meta.UID),
			"resourceVersion":   meta.ResourceVersion,
			"generation":        int64(3),
			"creationTimestamp": "2026-01-01T00:00:00Z",
			"labels":            map[string]any{"line": fmt.Sprintf("line-%d", index%50), "grade": "a"},
			"annotations":       map[string]any{"example.com/batch": fmt.Sprintf("%016x", random.Uint64())},
		},
		"spec": map[string]any{
			"replicas": int64(index % 10),
			"owner":    fmt.Sprintf("team-%d", index%40),
			"parts":    parts,
			"strategy": map[string]any{"type": "RollingUpdate", "maxSurge": "25%", "maxUnavailable": int64(1)},
		},
		"status": map[string]any{
			"observedGeneration": int64(3),
			"readyReplicas":      int64(index % 10),
			"conditions": []any{
				map[string]any{
					"type": "Ready", "status": "True", "reason": "AllPartsFit", "observedGeneration": int64(3),
					"lastTransitionTime": "2026-01-01T00:00:10Z", "message": "all parts of the widget fit",
				},
				map[string]any{
					"type": "Progressing", "status": "False", "reason": "Settled", "observedGeneration": int64(3),
					"lastTransitionTime": "2026-01-01T00:00:20Z", "message": "the widget has settled",
				},
			},
		},
	}}
}
