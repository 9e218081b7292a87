import type {
  CoreV1Event,
  EventsV1Event,
  V1ConfigMap,
  V1CustomResourceDefinition,
  V1Deployment,
  V1Lease,
  V1Namespace,
  V1Pod,
  V1Secret,
  V1ServiceAccount,
} from '@kubernetes/client-node';
import { defineKind } from './kind.ts';
import type { KubernetesObject } from './object.ts';
import type { Wire } from './wire.ts';

type BuiltIn<Model> = KubernetesObject & Omit<Wire<Model>, keyof KubernetesObject>;

/* Each built-in kind is a type and a value of one name: `ConfigMap` is what `client.get(ConfigMap, key)` resolves to. */

export interface ConfigMap extends BuiltIn<V1ConfigMap> {}
export const ConfigMap = defineKind<ConfigMap>({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  scope: 'Namespaced',
});

export interface Secret extends BuiltIn<V1Secret> {}
export const Secret = defineKind<Secret>({
  apiVersion: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  scope: 'Namespaced',
});

export interface Namespace extends BuiltIn<V1Namespace> {}
export const Namespace = defineKind<Namespace>({
  apiVersion: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  scope: 'Cluster',
});

export interface Pod extends BuiltIn<V1Pod> {}
export const Pod = defineKind<Pod>({ apiVersion: 'v1', kind: 'Pod', plural: 'pods', scope: 'Namespaced' });

export interface ServiceAccount extends BuiltIn<V1ServiceAccount> {}
export const ServiceAccount = defineKind<ServiceAccount>({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  scope: 'Namespaced',
});

/** The event of the core group. New code records {@link Event}s of `events.k8s.io/v1`. */
export interface CoreEvent extends BuiltIn<CoreV1Event> {}
export const CoreEvent = defineKind<CoreEvent>({
  apiVersion: 'v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
});

export interface Event extends BuiltIn<EventsV1Event> {}
export const Event = defineKind<Event>({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  plural: 'events',
  scope: 'Namespaced',
});

export interface Deployment extends BuiltIn<V1Deployment> {}
export const Deployment = defineKind<Deployment>({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  plural: 'deployments',
  scope: 'Namespaced',
});

export interface Lease extends BuiltIn<V1Lease> {}
export const Lease = defineKind<Lease>({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
});

export interface CustomResourceDefinition extends BuiltIn<V1CustomResourceDefinition> {}
export const CustomResourceDefinition = defineKind<CustomResourceDefinition>({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  scope: 'Cluster',
});
