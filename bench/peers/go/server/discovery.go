package main

import (
	"encoding/json"
	"net/http"
	"strings"

	apidiscovery "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/version"
)

var verbs = metav1.Verbs{"create", "delete", "get", "list", "patch", "update", "watch"}

// serveDiscovery answers requests for what the server serves, and health checks. It returns false for others.
func serveDiscovery(w http.ResponseWriter, r *http.Request) bool {
	aggregated := strings.Contains(r.Header.Get("Accept"), "as=APIGroupDiscoveryList")
	switch r.URL.Path {
	case "/healthz", "/livez", "/readyz":
		_, _ = w.Write([]byte("ok"))
	case "/version":
		writeJSON(w, http.StatusOK, version.Info{Major: "1", Minor: "35", GitVersion: "v1.35.0"})
	case "/api":
		if aggregated {
			writeGroups(w, "", "v1")
		} else {
			writeJSON(w, http.StatusOK, metav1.APIVersions{
				TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"},
			})
		}
	case "/apis":
		if aggregated {
			writeGroups(w, "example.com", "example.com/v1")
		} else {
			writeJSON(w, http.StatusOK, metav1.APIGroupList{
				TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{exampleGroup()},
			})
		}
	case "/apis/example.com":
		writeJSON(w, http.StatusOK, exampleGroup())
	case "/api/v1":
		writeResources(w, "v1")
	case "/apis/example.com/v1":
		writeResources(w, "example.com/v1")
	default:
		return false
	}
	return true
}

func exampleGroup() metav1.APIGroup {
	served := metav1.GroupVersionForDiscovery{GroupVersion: "example.com/v1", Version: "v1"}
	return metav1.APIGroup{
		TypeMeta:         metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"},
		Name:             "example.com",
		Versions:         []metav1.GroupVersionForDiscovery{served},
		PreferredVersion: served,
	}
}

func writeResources(w http.ResponseWriter, apiVersion string) {
	list := metav1.APIResourceList{
		TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: apiVersion,
	}
	for _, kind := range kinds {
		if kind.apiVersion == apiVersion {
			list.APIResources = append(list.APIResources, metav1.APIResource{
				Name: kind.resource, SingularName: strings.ToLower(kind.name), Kind: kind.name, Namespaced: true, Verbs: verbs,
			})
		}
	}
	writeJSON(w, http.StatusOK, list)
}

// writeGroups answers with aggregated discovery (KEP-3352).
func writeGroups(w http.ResponseWriter, group, apiVersion string) {
	served := apidiscovery.APIVersionDiscovery{Version: "v1", Freshness: apidiscovery.DiscoveryFreshnessCurrent}
	for _, kind := range kinds {
		if kind.apiVersion == apiVersion {
			served.Resources = append(served.Resources, apidiscovery.APIResourceDiscovery{
				Resource:         kind.resource,
				ResponseKind:     &metav1.GroupVersionKind{Group: group, Version: "v1", Kind: kind.name},
				Scope:            apidiscovery.ScopeNamespace,
				SingularResource: strings.ToLower(kind.name),
				Verbs:            verbs,
			})
		}
	}
	list := apidiscovery.APIGroupDiscoveryList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupDiscoveryList", APIVersion: "apidiscovery.k8s.io/v2"},
		Items: []apidiscovery.APIGroupDiscovery{{
			ObjectMeta: metav1.ObjectMeta{Name: group},
			Versions:   []apidiscovery.APIVersionDiscovery{served},
		}},
	}
	writeAs(w, http.StatusOK, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList", list)
}

func writeStatus(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	writeJSON(w, code, metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure,
		Reason:   reason,
		Message:  "the canned server refuses this request",
		Code:     int32(code),
	})
}

func writeJSON(w http.ResponseWriter, code int, body any) { writeAs(w, code, "application/json", body) }

func writeAs(w http.ResponseWriter, code int, contentType string, body any) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body)
}
