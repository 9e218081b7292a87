import { describe, expect, it } from '@jest/globals';
import { ConfigMap, Deployment, Secret } from '@mcr/client';
import { controllerManagedBy } from '../controller/builder/builder.ts';
import { enqueueRequestForObject } from '../controller/handler/enqueue-object.ts';
import { kindSource } from '../controller/source/kind-source.ts';
import { ensureCrds } from '../crds/ensure-crds.ts';
import { createManager } from '../manager/create-manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { Manager } from '../manager/manager.ts';
import { withMultiCluster } from '../manager/with-multi-cluster.ts';
import { InMemoryProvider } from '../provider/in-memory-provider.ts';
import type { Permission } from './permission.ts';

const config = { server: 'https://hub.example.com' };
const metrics = { bindAddress: '0' };
const newManager = (options: ManagerOptions = {}) => createManager({ config, metrics, ...options });
const done = async () => undefined;

/** Returns the permissions as text, for example `local: list, watch configmaps [shop]: controller "x": for(ConfigMap)`. */
function permissionsOf(manager: Manager): string[] {
  return manager.permissions.list().map(({ in: origin, kind, subresource, verbs, names, namespaces, neededBy }) => {
    const resource = [kind.plural, subresource].filter(Boolean).join('/');
    const limits = [namespaces && `in ${namespaces.join(', ')}`, names && `named ${names.join(', ')}`];
    return [`${origin}: ${verbs.join(', ')} ${resource}`, ...limits.filter(Boolean), `for ${neededBy}`].join(' ');
  });
}

describe('declared permissions', () => {
  it('WB-3: a controller needs list and watch of what it watches, where it watches, and what it requires', async () => {
    const manager = await newManager({ provider: new InMemoryProvider() });
    const before = permissionsOf(manager).length;
    await controllerManagedBy(manager)
      .for(Deployment, { namespaces: ['shop'] })
      .owns(ConfigMap, { metadataOnly: true })
      .watches(Secret, enqueueRequestForObject(), { engage: { local: true, provider: false } })
      .watchesRawSource(kindSource(ConfigMap, enqueueRequestForObject()))
      .requires({ kind: ConfigMap, verbs: ['create'] }, { kind: Deployment, subresource: 'status', verbs: ['patch'] })
      .requires({ kind: Secret, verbs: ['get'], names: ['key'], in: 'local' })
      .complete(done);
    expect(permissionsOf(manager).slice(before)).toEqual([
      'members: list, watch deployments in shop for controller "deployment": for(Deployment)',
      'members: list, watch configmaps for controller "deployment": owns(ConfigMap)',
      'local: list, watch secrets for controller "deployment": watches(Secret)',
      'members: list, watch configmaps for controller "deployment": watchesRawSource(v1 ConfigMap)',
      'members: create configmaps for controller "deployment": requires()',
      'members: patch deployments/status for controller "deployment": requires()',
      'local: get secrets named key for controller "deployment": requires()',
    ]);
  });

  it('WB-3: without a provider, they are needed in the local cluster', async () => {
    const manager = await newManager();
    await controllerManagedBy(manager)
      .for(ConfigMap)
      .requires({ kind: ConfigMap, verbs: ['patch'] })
      .complete(done);
    expect(permissionsOf(manager)).toEqual([
      'local: list, watch configmaps for controller "configmap": for(ConfigMap)',
      'local: patch configmaps for controller "configmap": requires()',
    ]);
  });

  it('WB-3: a builder that was not completed declares nothing', async () => {
    const manager = await newManager();
    controllerManagedBy(manager).for(ConfigMap);
    expect(permissionsOf(manager)).toEqual([]);
  });

  it('WB-3: the features of the manager declare what they need', async () => {
    const manager = await newManager({
      leaderElection: { id: 'shop', namespace: 'fleet' },
      sharding: { name: 'shop-shards', namespace: 'fleet' },
      metrics: { access: 'authorized', bindAddress: '0', certificate: { certFile: 'tls.crt', keyFile: 'tls.key' } },
    });
    expect(permissionsOf(manager)).toEqual([
      'local: create leases in fleet for leader election',
      'local: get, patch leases in fleet named shop for leader election',
      'local: create events in fleet for leader election',
      'local: list, watch, create, update, delete leases in fleet for sharding',
      'local: create events in fleet for sharding',
      'local: create tokenreviews for option metrics.access "authorized"',
      'local: create subjectaccessreviews for option metrics.access "authorized"',
    ]);
  });

  it('WB-3: a provider declares what it needs when the permissions are read', async () => {
    class Inventory extends InMemoryProvider {
      namespace = 'one';
      permissions(): Permission[] {
        return [{ kind: Secret, verbs: ['list', 'watch'], namespaces: [this.namespace], in: 'local' }];
      }
    }
    const provider = new Inventory();
    const manager = await withMultiCluster(await newManager(), provider);
    provider.namespace = 'fleet';
    expect(permissionsOf(manager)).toEqual(['local: list, watch secrets in fleet for provider Inventory']);
  });

  it('WB-3: a placement needs its owners and records in the local cluster, and the placed kinds in the members', async () => {
    const manager = await newManager({ provider: new InMemoryProvider() });
    await controllerManagedBy(manager)
      .named('copies')
      .places(Secret, { clusters: '', kinds: [ConfigMap], objects: () => [], namespaces: ['shop'], status: false });
    await controllerManagedBy(manager)
      .named('shops')
      .places(Deployment, { clusters: '', kinds: [ConfigMap, Secret], objects: () => [] });
    const of = (name: string) => `for controller "${name}": places`;
    expect(permissionsOf(manager).filter((text) => text.includes('places('))).toEqual([
      `local: get, list, watch, patch secrets in shop ${of('copies')}(Secret)`,
      `local: get, list, watch, create, patch, delete configmaps ${of('copies')}(Secret)`,
      `local: get namespaces named kube-system ${of('copies')}(Secret)`,
      `members: get, list, watch, create, patch, delete configmaps ${of('copies')}(Secret)`,
      `local: get, list, watch, patch deployments ${of('shops')}(Deployment)`,
      `local: patch deployments/status ${of('shops')}(Deployment)`,
      `local: get, list, watch, create, patch, delete configmaps ${of('shops')}(Deployment)`,
      `local: get namespaces named kube-system ${of('shops')}(Deployment)`,
      `members: get, list, watch, create, patch, delete configmaps ${of('shops')}(Deployment)`,
      `members: get, list, watch, create, patch, delete secrets ${of('shops')}(Deployment)`,
    ]);
  });

  it('WB-3: ensureCrds needs the CRDs by name, and with migrateStorage their objects', async () => {
    const manager = await newManager({ provider: new InMemoryProvider() });
    const schema = { openAPIV3Schema: { type: 'object' } };
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'carts.shop.example.com' },
      spec: {
        group: 'shop.example.com',
        scope: 'Namespaced',
        names: { kind: 'Cart', plural: 'carts' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    } as const;
    await ensureCrds(manager, [crd]);
    await ensureCrds(manager, [crd], { install: true, revision: 1, migrateStorage: true, clusters: { local: true } });
    const crds = 'customresourcedefinitions';
    expect(permissionsOf(manager).map((text) => text.replace(' named carts.shop.example.com', ' of carts'))).toEqual([
      `members: get ${crds} of carts for ensureCrds`,
      `local: get, create, patch ${crds} of carts for ensureCrds`,
      `members: get, create, patch ${crds} of carts for ensureCrds`,
      `local: patch ${crds}/status of carts for ensureCrds`,
      `members: patch ${crds}/status of carts for ensureCrds`,
      'local: get, list, update carts for ensureCrds',
      'members: get, list, update carts for ensureCrds',
    ]);
  });

  it.each<[string, object, string]>([
    ['no verbs', { verbs: [] }, 'requires(): permission: option "verbs": expected at least one verb'],
    ['a verb in upper case', { verbs: ['GET'] }, 'option "verbs.0": expected a verb of RBAC in lower case'],
    ['no names', { names: [] }, 'option "names": expected at least one name; leave it out for all objects'],
    ['a wildcard as a name', { names: ['*'] }, 'option "names.0": expected the name of an object, without wildcards'],
    ['a name with a line end', { names: ['a\nb'] }, 'option "names.0": expected the name of an object'],
    ['a path as a name', { names: ['../a'] }, 'option "names.0": expected the name of an object'],
    ['a wildcard as a namespace', { namespaces: ['*'] }, 'option "namespaces.0": expected a namespace'],
    ['no namespaces', { namespaces: [] }, 'option "namespaces": expected at least one namespace'],
    ['another place', { in: 'hub' }, 'option "in"'],
    ['an unknown field', { verb: ['get'] }, 'unknown option "verb"'],
    [
      'a wrong subresource',
      { subresource: '/status' },
      'option "subresource": expected a subresource such as "status"',
    ],
    ['no kind', { kind: 'ConfigMap' }, 'requires(): permission'],
  ])('WB-3: refuses %s', async (_, fields, message) => {
    const builder = controllerManagedBy(await newManager()).for(ConfigMap);
    expect(() => builder.requires({ kind: ConfigMap, verbs: ['get'], ...fields })).toThrow(message);
  });
});
