import type { KubernetesObject } from '@mcr/core';
import { defineKind } from '@mcr/core';

export const CustomResourceDefinition = defineKind<KubernetesObject & { spec: object }>({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
});
/** A kind without plural and scope, which discovery provides. */
export const Widget = defineKind({ apiVersion: 'example.com/v1', kind: 'Widget' });
/** The same kind, fully defined: discovery would remember for 10 s that it is absent. */
export const WholeWidget = defineKind({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  plural: 'widgets',
  scope: 'Namespaced',
});
/** The definition of `widgets.example.com`. */
export const widgetDefinition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
} as const;
