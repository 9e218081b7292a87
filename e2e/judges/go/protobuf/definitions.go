package main

import (
	"fmt"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"
)

// containsSpec compares definitions without their status, which the server fills in.
func containsSpec(read, written *apiextensionsv1.CustomResourceDefinition) error {
	expected := written.DeepCopy()
	expected.Status = read.Status
	return contains(read, expected)
}

// checkDefinitions checks CustomResourceDefinitions in protobuf, which are built-in, and custom resources in JSON.
func (j *judge) checkDefinitions() {
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "gadgets.judge.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "judge.example.com",
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "gadgets", Kind: "Gadget", ListKind: "GadgetList", Singular: "gadget"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": {
						Type: "object",
						Properties: map[string]apiextensionsv1.JSONSchemaProps{
							"size":  {Type: "integer", Minimum: ptr.To(0.5), Default: &apiextensionsv1.JSON{Raw: []byte("3")}},
							"names": {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "string"}}},
							"map":   {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &apiextensionsv1.JSONSchemaProps{Type: "string"}}},
							"mode":  {Type: "string", Enum: []apiextensionsv1.JSON{{Raw: []byte(`"a"`)}, {Raw: []byte(`"b"`)}}},
						},
					}},
				}},
			}},
		},
	}
	config := rest.CopyConfig(j.config)
	j.check("CustomResourceDefinition", func() error {
		client, err := apiextensions.NewForConfig(config)
		if err != nil {
			return err
		}
		definitions := client.ApiextensionsV1().CustomResourceDefinitions()
		created, err := definitions.Create(j.ctx, definition, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		if err := containsSpec(created, definition); err != nil {
			return err
		}
		return wait.PollUntilContextTimeout(j.ctx, 50*time.Millisecond, 20*time.Second, true, func(ctx ctx) (bool, error) {
			read, err := definitions.Get(ctx, definition.Name, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			for _, condition := range read.Status.Conditions {
				if condition.Type == apiextensionsv1.Established && condition.Status == apiextensionsv1.ConditionTrue {
					return true, containsSpec(read, definition)
				}
			}
			return false, nil
		})
	})
	resource := schema.GroupVersionResource{Group: "judge.example.com", Version: "v1", Resource: "gadgets"}
	j.check("custom resource by JSON", func() error {
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return err
		}
		object := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "judge.example.com/v1", "kind": "Gadget",
			"metadata": map[string]any{"name": "one"}, "spec": map[string]any{"mode": "a"},
		}}
		created, err := client.Resource(resource).Namespace(j.namespace).Create(j.ctx, object, metav1.CreateOptions{})
		if err != nil {
			return err
		}
		if size, _, _ := unstructured.NestedInt64(created.Object, "spec", "size"); size != 3 {
			return fmt.Errorf("the default of spec.size is %d", size)
		}
		return nil
	})
	j.check("custom resource by protobuf alone is not acceptable", func() error {
		path := fmt.Sprintf("/apis/judge.example.com/v1/namespaces/%s/gadgets/one", j.namespace)
		result := j.client.CoreV1().RESTClient().Get().AbsPath(path).SetHeader("Accept", protobuf).Do(j.ctx)
		if err := result.Error(); !errors.IsNotAcceptable(err) {
			return fmt.Errorf("got %v", err)
		}
		return nil
	})
	j.check("delete CustomResourceDefinition", func() error {
		client, err := apiextensions.NewForConfig(config)
		if err != nil {
			return err
		}
		return client.ApiextensionsV1().CustomResourceDefinitions().Delete(j.ctx, definition.Name, metav1.DeleteOptions{})
	})
}
