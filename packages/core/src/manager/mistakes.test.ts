import { describe, expect, it } from '@jest/globals';
import {
  ConfigMap,
  createClient,
  defineKind,
  loadKubeconfig,
  parseKubeconfig,
  parseKubeconfigContexts,
  untilAborted,
} from '@mcr/client';
import { controllerManagedBy } from '../controller/builder/builder.ts';
import { createCluster } from '../fleet/cluster/create-cluster.ts';
import { FakeCluster } from '../fleet/cluster/fake-cluster.fixture.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import { createSingleClusterProvider } from '../provider/single-cluster-provider.ts';
import { enqueueMapped } from '../controller/handler/enqueue-mapped.ts';
import { enqueueRequestForObject } from '../controller/handler/enqueue-object.ts';
import { createLogger } from '../log/create-logger.ts';
import { channelSource } from '../controller/source/channel-source.ts';
import { funcSource } from '../controller/source/func-source.ts';
import { kindSource } from '../controller/source/kind-source.ts';
import { eventually } from '../testing/eventually.ts';
import { createManager } from './create-manager.ts';
import { newManager } from './manager-scene.fixture.ts';
import { shutdownSignal } from './shutdown-signal.ts';
import { withMultiCluster } from './with-multi-cluster.ts';

/** A value of any type, as plain JavaScript may pass it. */
const any = (value?: unknown) => value as never;

/** Returns the error of a call, whether it throws or rejects. */
const failureOf = async (call: () => unknown) => {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('wrong arguments from plain JavaScript', () => {
  it.each<[string, () => unknown, string]>([
    [
      'start without a signal',
      () => newManager().start(any()),
      'manager.start: expected an AbortSignal, found undefined: pass one that ends it, as in manager.start(shutdownSignal().signal)',
    ],
    [
      'start with what has a signal',
      () => {
        using shutdown = shutdownSignal();
        return newManager().start(any(shutdown));
      },
      'manager.start: expected an AbortSignal, found an object with a property signal: pass that property, as in manager.start(shutdownSignal().signal)',
    ],
    [
      'start with an AbortController',
      () => newManager().start(any(new AbortController())),
      'manager.start: expected an AbortSignal, found an object of class AbortController with a property signal: pass that property',
    ],
    [
      'add of a function',
      () => newManager().add(any(untilAborted)),
      'manager.add: expected a runnable, which has a method run(signal), found a function: pass { run: (signal) => ... }',
    ],
    ['add of nothing', () => newManager().add(any()), 'found undefined: give it that method'],
    [
      'complete without a reconciler',
      () => controllerManagedBy(newManager()).for(ConfigMap).complete(any()),
      'controller "ConfigMap": complete() and build() need a reconciler, found undefined: pass a function (request, context), or an object with a method reconcile',
    ],
    [
      'complete of a class',
      () =>
        controllerManagedBy(newManager())
          .for(ConfigMap)
          .complete(
            any(
              class {
                reconcile = untilAborted;
              },
            ),
          ),
      'found a class: pass an instance of it, made with new',
    ],
    [
      'a builder of a promise of a manager',
      () => controllerManagedBy(any(Promise.resolve())),
      'controllerManagedBy: expected a manager, found an object of class Promise: pass one, as in controllerManagedBy(await createManager())',
    ],
    [
      'for of a name',
      () => controllerManagedBy(newManager()).for(any('ConfigMap')),
      'for: expected a kind, found a string: pass a kind such as ConfigMap',
    ],
    ['owns of nothing', () => controllerManagedBy(newManager()).owns(any()), 'owns: expected a kind, found undefined'],
    [
      'watches without a handler',
      () => controllerManagedBy(newManager()).watches(ConfigMap, any()),
      'watches: expected an event handler, found undefined: pass enqueueRequestForObject()',
    ],
    [
      'kindSource without arguments',
      () => kindSource(any(), any()),
      'kindSource: expected a kind, found undefined: pass a kind',
    ],
    [
      'kindSource without a handler',
      () => kindSource(ConfigMap, any()),
      'kindSource(ConfigMap): expected an event handler, found undefined: pass enqueueRequestForObject()',
    ],
    [
      'channelSource without arguments',
      () => channelSource(any(), any()),
      'channelSource: expected an async iterable of events, found undefined',
    ],
    [
      'funcSource without a function',
      () => funcSource(any()),
      'funcSource: expected a function (context), found undefined',
    ],
    [
      'enqueueMapped without a function',
      () => enqueueMapped(any([])),
      'enqueueMapped: expected a function, found an array: pass (object, context) =>',
    ],
    [
      'addHealthzCheck without a function',
      () => newManager().addHealthzCheck('x', any()),
      '/healthz: check "x": expected a function, found undefined: pass one that throws if the check fails',
    ],
    [
      'addReadyzCheck without arguments',
      () => newManager().addReadyzCheck(any(), any()),
      '/readyz: the name of a check is part of a path, and cannot be undefined',
    ],
    [
      'addMetricsHandler without a function',
      () => newManager().addMetricsHandler('/debug', any()),
      'metrics handler for /debug: expected a function (request, response), found undefined',
    ],
    [
      'addMetricsHandler without arguments',
      () => newManager().addMetricsHandler(any(), any()),
      'metrics handler: expected a path that begins with "/", found undefined',
    ],
    [
      'withMultiCluster without arguments',
      () => withMultiCluster(any(), any()),
      'withMultiCluster: expected a manager first, found undefined: pass one, as in withMultiCluster(await createManager(), provider)',
    ],
    [
      'withMultiCluster without a provider',
      () => withMultiCluster(newManager(), any()),
      'withMultiCluster: expected a Provider, which has get() and indexField(), found undefined',
    ],
    [
      'engage without arguments',
      () => newManager().engage(any(), any(), any()),
      'manager.engage: expected the name of a cluster first, found undefined',
    ],
    [
      'engage of a config',
      () => newManager().engage('eu-1', any({ server: 'https://a' }), AbortSignal.abort()),
      'manager.engage: expected a Cluster, which has ready() and run(), found an object: pass what createCluster(config) returns',
    ],
    [
      'engage without a signal',
      () => newManager().engage('eu-1', new FakeCluster(), any()),
      'manager.engage: expected an AbortSignal that ends the engagement, found undefined',
    ],
    [
      'InMemoryProvider.set of a config',
      () => new InMemoryProvider().set('eu-1', any({ server: 'https://a' })),
      'provider.set: expected a Cluster, which has ready() and run(), found an object',
    ],
    [
      'SingleClusterProvider of a cluster alone',
      () => createSingleClusterProvider(any(new FakeCluster()), any()),
      'SingleClusterProvider: expected the name of a cluster first, found an object of class FakeCluster',
    ],
    [
      'apply of an object alone by the client of a cluster',
      () => createCluster({ server: 'https://a' }).client.apply(any({ metadata: { name: 'a' } }), any()),
      'client call: expected a kind, found an object',
    ],
    [
      'create of nothing by the client of a cluster',
      () => createCluster({ server: 'https://a' }).client.create(ConfigMap, any()),
      'v1 ConfigMap: expected an object with metadata, found undefined: pass the kind first',
    ],
    [
      'patch without a key by the client of a cluster',
      () => createCluster({ server: 'https://a' }).client.patch(ConfigMap, any(), {}, 'merge'),
      'v1 ConfigMap: expected the key of one object as { namespace, name }, found a key that is undefined',
    ],
    [
      'get without arguments by the client of a cluster',
      () => createCluster({ server: 'https://a' }).client.get(any(), any()),
      'client call: expected a kind, found undefined',
    ],
    [
      'createManager of a provider',
      () => createManager(any(new InMemoryProvider())),
      'createManager: expected options as a plain object such as { provider: ... }, found an object of class InMemoryProvider',
    ],
    [
      'createManager of a path',
      () => createManager(any('/path')),
      'createManager: expected options as a plain object such as { provider: ... }, found a string',
    ],
    [
      'createManager of a config',
      () => createManager(any({ server: 'https://a' })),
      'createManager: unknown option "server": use only config, provider,',
    ],
    [
      'createManager with the path of a kubeconfig',
      () => createManager(any({ config: '/path' })),
      'createManager: option "config": expected a ClusterConfig, or "none", found a string: pass what loadKubeconfig({ path }) returns',
    ],
    [
      'createManager with a provider as its config',
      () => createManager(any({ config: new InMemoryProvider() })),
      'createManager: option "config": expected a ClusterConfig, or "none", found an object of class InMemoryProvider: pass what loadKubeconfig() returns',
    ],
    [
      'createManager with a class of a provider',
      () => createManager(any({ provider: InMemoryProvider })),
      'createManager: option "provider": expected a Provider, which has get() and indexField(), found the class InMemoryProvider',
    ],
    [
      'leader election without an id',
      () => createManager(any({ leaderElection: {} })),
      'createManager: option "leaderElection.id": expected the name of a Lease, such as "my-controller", found undefined',
    ],
    [
      'a negative duration',
      () => createManager({ leaderElection: { id: 'a', leaseDuration: -1 } }),
      'createManager: option "leaderElection.leaseDuration": expected a number of milliseconds greater than 0, found -1',
    ],
    [
      'a lease in a wrong namespace',
      () => createManager({ leaderElection: { id: 'a', namespace: 'A_b' } }),
      'createManager: option "leaderElection.namespace": expected a namespace, which is at most 63 lower case letters,',
    ],
    [
      'a wrong address',
      () => createManager({ health: { bindAddress: 'everywhere' } }),
      'createManager: option "health.bindAddress": expected an address such as ":8080", or "0" for none, found "everywhere"',
    ],
    [
      'createCluster of a provider',
      () => createCluster(any(new InMemoryProvider())),
      'expected a ClusterConfig, found an object of class InMemoryProvider: pass { server: "https://..." } or the result of loadKubeconfig()',
    ],
    [
      'createCluster with a name as its options',
      () => createCluster({ server: 'https://a' }, any('eu-1')),
      'createCluster: expected options as a plain object such as { name: "eu-1" }, found a string',
    ],
    [
      'createClient of a path',
      () => createClient(any('/path')),
      'createClient: expected a ClusterConfig, found a string',
    ],
    ['createClient of nothing', () => createClient(any()), 'createClient: expected a ClusterConfig, found undefined'],
    [
      'createClient with a signal as its options',
      () => createClient({ server: 'https://a' }, any(AbortSignal.abort())),
      'createClient: expected options as a plain object, found an object of class AbortSignal',
    ],
    [
      'loadKubeconfig of a path',
      () => loadKubeconfig(any('/path')),
      'loadKubeconfig: expected options as a plain object such as { path }, found a string',
    ],
    [
      'for with a wrong label selector',
      () => controllerManagedBy(newManager()).for(ConfigMap, { labelSelector: 'a=b=c' }),
      'for(ConfigMap): option "labelSelector": label selector "a=b=c": expected "," or the end, found "="',
    ],
    [
      'watches with a wrong cluster selector',
      () =>
        controllerManagedBy(newManager()).watches(ConfigMap, enqueueRequestForObject(), {
          engage: { clusterSelector: 'env in prod' },
        }),
      'watches(ConfigMap): option "engage.clusterSelector": label selector "env in prod": expected "(", found "prod"',
    ],
    [
      'owns in a wrong namespace',
      () => controllerManagedBy(newManager()).owns(ConfigMap, { namespaces: ['A_b'] }),
      'owns(ConfigMap): option "namespaces.0": expected ',
    ],
    [
      'for with options that are a predicate',
      () =>
        controllerManagedBy(newManager()).for(
          ConfigMap,
          any(() => true),
        ),
      'for(ConfigMap): expected options as a plain object, found a function',
    ],
    [
      'parseKubeconfig without options',
      () => parseKubeconfig('{}', any()),
      'parseKubeconfig(text, options): option "policy": expected "trusted" or "untrusted", found undefined',
    ],
    [
      'parseKubeconfigContexts without a policy',
      () => parseKubeconfigContexts('{}', any({})),
      'parseKubeconfigContexts(text, options): option "policy": expected "trusted" or "untrusted", found undefined',
    ],
    [
      'parseKubeconfig of bytes',
      () => parseKubeconfig(any(Buffer.from('{}')), { policy: 'untrusted' }),
      'parseKubeconfig: expected the text of a kubeconfig, found an object of class Buffer: decode it first',
    ],
    [
      'parseKubeconfig with an unknown option',
      () => parseKubeconfig('{}', any({ policy: 'untrusted', contxt: 'a' })),
      'parseKubeconfig(text, options): unknown option "contxt": use only policy, context,',
    ],
    [
      'defineKind without apiVersion',
      () => defineKind(any({ kind: 'Widget' })),
      'defineKind: option "apiVersion": expected a version such as "v1", or a group and version such as "example.com/v1", found undefined',
    ],
    [
      'defineKind with group and version apart',
      () => defineKind(any({ group: 'a', version: 'v1', kind: 'W' })),
      'unknown options "group", "version"',
    ],
    ['defineKind with a path', () => defineKind({ apiVersion: 'a/b/c', kind: 'Widget' }), 'found "a/b/c"'],
    [
      'defineKind without kind',
      () => defineKind(any({ apiVersion: 'v1' })),
      'defineKind: option "kind": expected a name such as "Widget", found undefined',
    ],
    [
      'defineKind with an empty plural',
      () => defineKind({ apiVersion: 'v1', kind: 'W', plural: '' }),
      'defineKind: option "plural": expected',
    ],
    [
      'defineKind with a wrong scope',
      () => defineKind(any({ apiVersion: 'v1', kind: 'W', scope: 'cluster' })),
      'defineKind: option "scope": expected "Namespaced", "Cluster" or none, found "cluster"',
    ],
    [
      'defineKind with a JSON schema',
      () => defineKind(any({ apiVersion: 'v1', kind: 'W', schema: {} })),
      'defineKind: option "schema": expected a zod schema, found an object',
    ],
    [
      'defineKind with a name',
      () => defineKind(any('Widget')),
      'defineKind: expected options as a plain object, found a string',
    ],
    [
      'eventually with an unknown option',
      () => eventually(() => true, any({ timeout: 1_000 })),
      'eventually: unknown option "timeout": use only deadline, interval, signal, clock',
    ],
    [
      'createClient with an unknown option',
      () => createClient({ server: 'https://a' }, any({ log: console })),
      'createClient: unknown option "log": use only transport, restMapper, logger,',
    ],
    [
      'createLogger with a level of another library',
      () => createLogger(any({ level: 'trace' })),
      'createLogger: option "level": ',
    ],
    [
      'createLogger with an unknown option',
      () => createLogger(any({ pretty: true })),
      'createLogger: unknown option "pretty"',
    ],
  ])('%s: is refused with an error that says what to do', async (_, call, message) => {
    const error = await failureOf(call);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain(message);
  });
});
