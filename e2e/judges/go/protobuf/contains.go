package main

import (
	"fmt"
	"sort"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// contains returns an error that names the fields of written that read does not have, or has with another value.
func contains(read, written runtime.Object) error {
	actual, err := runtime.DefaultUnstructuredConverter.ToUnstructured(read)
	if err != nil {
		return err
	}
	expected, err := runtime.DefaultUnstructuredConverter.ToUnstructured(written)
	if err != nil {
		return err
	}
	for _, object := range []map[string]any{actual, expected} {
		delete(object, "kind")
		delete(object, "apiVersion")
	}
	differences := differencesOf("", actual, expected)
	if len(differences) == 0 {
		return nil
	}
	sort.Strings(differences)
	return fmt.Errorf("%s", strings.Join(differences, "; "))
}

func differencesOf(path string, actual, expected any) []string {
	switch expected := expected.(type) {
	case nil:
		return nil
	case map[string]any:
		fields, _ := actual.(map[string]any)
		var differences []string
		for name, value := range expected {
			differences = append(differences, differencesOf(path+"."+name, fields[name], value)...)
		}
		return differences
	case []any:
		items, _ := actual.([]any)
		if len(items) != len(expected) {
			return []string{fmt.Sprintf("%s has %d items, not %d", path, len(items), len(expected))}
		}
		var differences []string
		for index, value := range expected {
			differences = append(differences, differencesOf(fmt.Sprintf("%s[%d]", path, index), items[index], value)...)
		}
		return differences
	default:
		if actual != expected {
			return []string{fmt.Sprintf("%s is %v, not %v", path, actual, expected)}
		}
		return nil
	}
}
