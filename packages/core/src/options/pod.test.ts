import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { resolveLeaderElection } from '../manager/leader-election/leader-election-options.ts';
import { resolveSharding } from '../sharding/sharding-options.ts';

describe('the Pod of a process', () => {
  const before = { ...process.env };
  const clear = (): void => {
    delete process.env['POD_NAMESPACE'];
    delete process.env['POD_NAME'];
  };
  beforeEach(clear);
  afterEach(() => {
    clear();
    Object.assign(process.env, before);
  });

  it('WB-2: POD_NAMESPACE is the default namespace of Leases, and POD_NAME the name of the replica', () => {
    process.env['POD_NAMESPACE'] = 'shop';
    process.env['POD_NAME'] = 'shop-1';
    const { namespace, identity } = resolveLeaderElection({ id: 'a' });
    expect(namespace).toBe('shop');
    expect(identity).toMatch(/^shop-1_[0-9a-f-]{36}$/u);
    expect(resolveSharding({ name: 'a' })).toMatchObject({ group: { namespace: 'shop' }, replicaId: 'shop-1' });
  });

  it('WB-2: options have precedence over the variables', () => {
    process.env['POD_NAMESPACE'] = 'shop';
    process.env['POD_NAME'] = 'shop-1';
    expect(resolveLeaderElection({ id: 'a', namespace: 'own' }).namespace).toBe('own');
    const sharding = resolveSharding({ name: 'a', namespace: 'own', replicaId: 'me' });
    expect(sharding).toMatchObject({ group: { namespace: 'own' }, replicaId: 'me' });
  });

  it('WB-2: empty variables count as unset', () => {
    process.env['POD_NAMESPACE'] = '';
    process.env['POD_NAME'] = '';
    expect(() => resolveLeaderElection({ id: 'a' })).toThrow(
      'option "leaderElection.namespace": expected the namespace of the Lease, because this process does not run in a Pod: set the option or POD_NAMESPACE',
    );
    expect(resolveLeaderElection({ id: 'a', namespace: 'a' }).identity).toContain(`${hostname()}_`);
  });
});
