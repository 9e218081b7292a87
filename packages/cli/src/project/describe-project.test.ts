import { describe, expect, it } from '@jest/globals';
import { defineKind, type Manager } from '@mcr/core';
import { describeConfig } from './describe-project.ts';

const manager = () => ({});
const setup = () => undefined;
const Widget = defineKind({ apiVersion: 'example.com/v1', kind: 'Widget' });

describe('the description of a project', () => {
  it('WB-3: has the permissions, with the namespace of the Pod where the code names none', async () => {
    const project = await describeConfig('mcr.config.ts', {
      name: 'a',
      manager: () => ({ leaderElection: { id: 'a' }, sharding: { name: 'b', namespace: 'fleet' } }),
      setup,
    });
    expect(project.permissions.map(({ resource, namespaces }) => `${resource} ${String(namespaces)}`)).toEqual([
      'leases mcr-pod-namespace',
      'leases mcr-pod-namespace',
      'events mcr-pod-namespace',
      'leases fleet',
      'events fleet',
    ]);
    expect(project).toMatchObject({ name: 'a', namespace: 'a', hasProvider: false, replicas: 'sharding' });
  });

  it.each<[string, unknown, RegExp]>([
    ['no default export', undefined, /^a\.ts: expected a default export such as .* found undefined$/u],
    ['a missing field', { name: 'a' }, /^a\.ts: option "manager": .*; option "setup": /u],
    ['an unknown field', { nme: 'a' }, /unknown option "nme"/u],
    ['a wrong name', { name: 'A_b', manager, setup }, /option "name": expected at most 50 lower-case/u],
    [
      'a relative path of a Secret',
      { name: 'a', manager, setup, deploy: { secrets: { certs: 'a' } } },
      /option "deploy\.secrets": expected absolute paths/u,
    ],
    [
      'kinds of another form',
      { name: 'a', kinds: ['Shop'], manager, setup },
      /option "kinds\.0": expected what defineKind/u,
    ],
    ['a kind without a schema', { name: 'a', kinds: [Widget], manager, setup }, /Widget .*has no schema/u],
    [
      'wrong options',
      { name: 'a', manager: () => ({ healht: 1 }), setup },
      /manager\(\): createManager: unknown option "healht"/u,
    ],
    [
      'a setup that throws',
      { name: 'a', manager, setup: () => Promise.reject(new Error('no key')) },
      /^a\.ts: setup\(\): no key$/u,
    ],
    [
      'a kind without a plural',
      {
        name: 'a',
        manager,
        setup: ({ permissions }: Manager) =>
          permissions.require('controller "x"', [{ kind: Widget, verbs: ['get'], in: 'local' }]),
      },
      /controller "x": the kind Widget of example\.com\/v1 has no plural, and RBAC names kinds by it: set plural/u,
    ],
    [
      'replicas that would work against each other',
      { name: 'a', manager, setup, deploy: { replicas: 2 } },
      /option "deploy\.replicas": 2 replicas would all reconcile the same clusters: set leaderElection or sharding/u,
    ],
  ])('WB-3: refuses %s', async (_, config, message) => {
    await expect(describeConfig('a.ts', config)).rejects.toThrow(message);
  });
});
