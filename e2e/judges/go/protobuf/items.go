package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
)

type ctx = context.Context

func itemsOf(list runtime.Object) ([]runtime.Object, error) {
	return meta.ExtractList(list)
}
