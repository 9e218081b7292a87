import { isDeepStrictEqual } from 'node:util';
import { DEFINITIONS, specOf } from '../definitions/definition.ts';
import type { ApiObject, StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { create } from '../verbs/create.ts';
import { plainDeletion, remove } from '../verbs/delete.ts';
import type { Backend } from '../verbs/target.ts';
import { modify } from '../verbs/update.ts';
import type { BackgroundTasks } from './background-tasks.ts';

/** Name of upstream's controller in `managedFields`. */
const MANAGER = 'kube-apiserver';

const API_SERVICES = 'apiservices.apiregistration.k8s.io';

/** Label of the APIServices that this controller keeps. */
const MANAGED = 'kube-aggregator.kubernetes.io/automanaged';

/** Priorities of the groups and versions of CustomResourceDefinitions. */
const GROUP_PRIORITY = 1000;
const VERSION_PRIORITY = 100;

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/**
 * Keeps an APIService for each version that CustomResourceDefinitions serve. (Upstream: `crdRegistrationController` of
 * kube-apiserver, and `autoRegisterController` of kube-aggregator.)
 */
export function startRegistrationController(backend: Backend, tasks: BackgroundTasks): void {
  const { store } = backend;
  const enqueue = ({ group, version }: GroupVersion): void =>
    tasks.add(`registration/${version}.${group}`, () => register(backend, { group, version }));
  const enqueueAll = (definition: StoredObject): void => {
    for (const version of versionsOf(definition)) enqueue(version);
  };
  for (const definition of store.resource(DEFINITIONS).list('')) enqueueAll(definition);
  store.onWrite(({ object, previous }) => {
    if (object.resource === DEFINITIONS) {
      if (previous) enqueueAll(previous);
      enqueueAll(object);
    } else if (object.resource === API_SERVICES && previous?.labels[MANAGED] === 'true') {
      const { group = '', version = '' } = parseStored(previous)['spec'] as Partial<GroupVersion>;
      enqueue({ group, version });
    }
  });
}

function versionsOf(definition: StoredObject): readonly GroupVersion[] {
  const { group = '', versions = [] } = specOf(parseStored(definition));
  return versions.map(({ name = '' }) => ({ group, version: name }));
}

// eslint-disable-next-line require-yield -- a task of one step
function* register(backend: Backend, { group, version }: GroupVersion): Generator<void> {
  const { store, registry } = backend;
  const type = registry.storedType(API_SERVICES);
  if (!type) return;
  const name = `${version}.${group}`;
  const target = { type, namespace: '', name };
  const current = store.resource(API_SERVICES).get(name);
  const isServed = store
    .resource(DEFINITIONS)
    .list('')
    .some((definition) => serves(definition, { group, version }));
  if (!current) {
    if (isServed)
      create(backend, { type, namespace: '', manager: MANAGER, dryRun: false, body: apiService({ group, version }) });
    return;
  }
  // An APIService without the label is that of a client.
  if (current.labels[MANAGED] !== 'true') return;
  if (!isServed) {
    remove(backend, target, { ...plainDeletion, isPolicySet: false });
    return;
  }
  const { spec } = apiService({ group, version });
  if (isDeepStrictEqual(parseStored(current)['spec'], spec)) return;
  const change = (object: ApiObject): ApiObject => ({ ...object, spec });
  modify(backend, { target, part: 'object', dryRun: false, manager: MANAGER, change });
}

function serves(definition: StoredObject, { group, version }: GroupVersion): boolean {
  // The name of a definition ends with its group.
  if (!definition.name.endsWith(`.${group}`)) return false;
  const spec = specOf(parseStored(definition));
  return spec.group === group && (spec.versions ?? []).some(({ name, served }) => name === version && served === true);
}

function apiService({ group, version }: GroupVersion): { readonly spec: object } {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: `${version}.${group}`, labels: { [MANAGED]: 'true' } },
    spec: { group, version, groupPriorityMinimum: GROUP_PRIORITY, versionPriority: VERSION_PRIORITY },
  } as { readonly spec: object };
}
