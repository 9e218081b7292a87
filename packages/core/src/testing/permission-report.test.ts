import { describe, expect, it } from '@jest/globals';
import { ClusterRole, ConfigMap, defineKind, Deployment, EventsV1Event, Namespace, Secret } from '@mcr/client';
import type { Permission } from '../permissions/permission.ts';
import type { RequiredAccess } from './permission-report.ts';
import { comparePermissions, isGrantedToAll } from './permission-report.ts';

/** Parses for example `members: get deployments.apps/status default/cart`. */
function accessOf(text: string): RequiredAccess {
  const [origin = '', verb = '', resource = '', object = ''] = text.split(/:? /u);
  const [namespace, name] = object.includes('/') ? object.split('/') : [undefined, object];
  return {
    in: origin === 'members' ? 'members' : 'local',
    verb,
    resource,
    ...(namespace && { namespace }),
    ...(name && { name }),
  };
}

function compare(permissions: readonly Partial<Permission>[], accesses: readonly string[], options = {}) {
  const declared = permissions.map((permission, index) => ({
    kind: ConfigMap,
    verbs: ['get'],
    in: 'local' as const,
    neededBy: `part ${index}`,
    ...permission,
  }));
  return comparePermissions(declared, accesses.map(accessOf), options);
}

const Cart = defineKind({ apiVersion: 'example.com/v1', kind: 'Cart', plural: 'carts' });
const anything = defineKind({ apiVersion: '*/v1', kind: 'Any', plural: '*' });

describe('permissions that a program uses', () => {
  it.each<[Partial<Permission>, string]>([
    [{}, 'local: get configmaps default/cart'],
    [{ in: 'members' }, 'members: get configmaps default/cart'],
    [{ verbs: ['*'] }, 'local: deletecollection configmaps default/'],
    [{ verbs: ['list'] }, 'local: list configmaps'],
    [{ names: ['cart'] }, 'local: get configmaps default/cart'],
    [{ names: ['cart'], verbs: ['watch'] }, 'local: watch configmaps default/cart'],
    [{ names: ['cart'], verbs: ['create'] }, 'local: create configmaps default/cart'],
    [{ namespaces: ['default'], verbs: ['watch'] }, 'local: watch configmaps default/'],
    [{ kind: Namespace, namespaces: ['default'] }, 'local: get namespaces shop'],
    [{ kind: Deployment, subresource: 'status' }, 'local: get deployments.apps/status default/cart'],
    [{ kind: anything }, 'local: get deployments.apps/scale default/cart'],
    [{ kind: anything, subresource: 'scale' }, 'local: get deployments.apps/scale default/cart'],
  ])('WB-3: %j covers "%s"', (permission, access) => {
    expect(compare([permission], [access])).toEqual({ missing: [], unused: [] });
  });

  it.each<[Partial<Permission>, string]>([
    [{}, 'members: get configmaps default/cart'],
    [{}, 'local: list configmaps default/'],
    [{}, 'local: get configmaps.example.com default/cart'],
    [{}, 'local: get configmaps/status default/cart'],
    [{ kind: Deployment, subresource: 'status' }, 'local: get deployments.apps default/cart'],
    [{ kind: anything, subresource: 'scale' }, 'local: get deployments.apps default/cart'],
    [{ names: ['cart'] }, 'local: get configmaps default/shop'],
    // RBAC compares names with requests that have none, and refuses them.
    [{ names: ['cart'], verbs: ['list'] }, 'local: list configmaps default/'],
    [{ namespaces: ['shop'] }, 'local: get configmaps default/cart'],
    [{ namespaces: ['shop'], verbs: ['list'] }, 'local: list configmaps'],
  ])('WB-3: %j does not cover "%s"', (permission, access) => {
    const { missing, unused } = compare([permission], [access]);
    expect([missing.length, unused.length]).toEqual([1, 1]);
  });

  it('WB-3: are merged per resource, with the line that declares them', () => {
    const accesses = [
      'local: patch configmaps default/a',
      'local: create configmaps default/a',
      'local: list configmaps',
      'local: patch deployments.apps/status shop/a',
      'local: create events.events.k8s.io shop/',
      'local: get carts.example.com shop/a',
      'local: get pans.example.com shop/a',
      'local: get nodes a',
      'local: get /metrics',
    ];
    const { missing } = compare([{ kind: Cart, verbs: ['list'] }], accesses);
    expect(missing.map(({ verbs, resource, objects, add }) => [verbs.join(), resource, objects.join(), add])).toEqual([
      [
        'list,create,patch',
        'configmaps',
        'default/a,*',
        ".requires({ kind: ConfigMap, verbs: ['list', 'create', 'patch'] })",
      ],
      [
        'patch',
        'deployments.apps/status',
        'shop/a',
        ".requires({ kind: Deployment, subresource: 'status', verbs: ['patch'] })",
      ],
      ['create', 'events.events.k8s.io', 'shop/*', ".requires({ kind: EventsV1Event, verbs: ['create'] })"],
      ['get', 'carts.example.com', 'shop/a', ".requires({ kind: Cart, verbs: ['get'] })"],
      ['get', 'pans.example.com', 'shop/a', ".requires({ kind: /* the kind of pans.example.com */, verbs: ['get'] })"],
      ['get', 'nodes', 'a', ".requires({ kind: Node, verbs: ['get'] })"],
      [
        'get',
        '/metrics',
        '/metrics',
        "to a ClusterRole of your own: { nonResourceURLs: ['/metrics'], verbs: ['get'] }",
      ],
    ]);
  });

  it('WB-3: the line says where, if the program has members', () => {
    const { missing } = compare([], ['local: get secrets fleet/a', 'members: get secrets shop/a']);
    expect(missing.map(({ in: origin, add }) => [origin, add])).toEqual([
      ['local', ".requires({ kind: Secret, verbs: ['get'], in: 'local' })"],
      ['members', ".requires({ kind: Secret, verbs: ['get'], in: 'members' })"],
    ]);
  });

  it('WB-3: have at most 10 objects in the report', () => {
    const accesses = Array.from({ length: 20 }, (_, index) => `local: get configmaps shop/cart-${index}`);
    expect(compare([], accesses).missing[0]?.objects).toHaveLength(10);
  });

  it('WB-3: are those of the local cluster, if members are its namespaces', () => {
    const declared = [{ verbs: ['list'], in: 'members' }] as const;
    expect(compare(declared, ['local: list configmaps'], { members: 'namespaces' })).toEqual({
      missing: [],
      unused: [],
    });
    expect(compare(declared, ['local: list configmaps']).missing).toHaveLength(1);
  });
});

describe('permissions that a program does not use', () => {
  it('WB-3: name the part that declares them, and its limits', () => {
    const permissions = [
      { verbs: ['get', 'delete'] },
      { kind: Secret, verbs: ['*'], names: ['key'], namespaces: ['fleet'] },
      { kind: EventsV1Event, verbs: ['create'], in: 'members' as const },
    ];
    expect(compare(permissions, ['local: get configmaps default/a']).unused).toEqual([
      { in: 'local', resource: 'configmaps', verbs: ['delete'], neededBy: 'part 0' },
      { in: 'local', resource: 'secrets', verbs: ['*'], names: ['key'], namespaces: ['fleet'], neededBy: 'part 1' },
      { in: 'members', resource: 'events.events.k8s.io', verbs: ['create'], neededBy: 'part 2' },
    ]);
  });

  it('WB-3: leave out the list that a watch replaces', () => {
    const declared = [{ verbs: ['list', 'watch'] }];
    expect(compare(declared, ['local: watch configmaps']).unused).toEqual([]);
    expect(compare(declared, ['local: list configmaps']).unused[0]?.verbs).toEqual(['watch']);
    expect(compare(declared, []).unused[0]?.verbs).toEqual(['list', 'watch']);
  });

  it('WB-3: leave out verbs that no request has', () => {
    expect(compare([{ kind: ClusterRole, verbs: ['bind', 'escalate'] }], []).unused).toEqual([]);
  });

  it('WB-3: refuse a kind without a plural, because RBAC names kinds by it', () => {
    const kind = defineKind({ apiVersion: 'example.com/v1', kind: 'Cart' });
    expect(() => compare([{ kind }], [])).toThrow(
      'part 0: the kind Cart of example.com/v1 has no plural, and RBAC names kinds by it: set plural where the kind is defined',
    );
  });
});

describe('access of every account', () => {
  it.each([
    ['get', '/version', true],
    ['get', '/livez', true],
    ['get', '/apis/apps/v1', true],
    ['get', '/openapi/v3', true],
    ['get', '/metrics', false],
    ['get', '/livez/etcd', false],
    ['post', '/version', false],
    ['create', 'selfsubjectaccessreviews.authorization.k8s.io', true],
    ['create', 'subjectaccessreviews.authorization.k8s.io', false],
    ['create', 'tokenreviews.authentication.k8s.io', false],
  ])('WB-3: %s %s: %s', (verb, resource, expected) => {
    expect(isGrantedToAll({ in: 'local', verb, resource })).toBe(expected);
  });
});
