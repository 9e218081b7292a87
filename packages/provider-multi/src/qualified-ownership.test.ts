import { describe, expect, it } from '@jest/globals';
import type { ClusterName, Ownership, OwnershipState } from '@mcr/core';
import { InMemoryProvider, isNotOwner, systemClock, WriteFence } from '@mcr/core';
import { eventually, InMemoryCluster } from '@mcr/core/testing';
import { createMultiProvider } from './multi-provider.ts';
import { qualifiedOwnership } from './qualified-ownership.ts';

/** An ownership of the names in the fleet. This process owns those in {@link own}. */
class FleetOwnership implements Ownership {
  readonly own = new Set<ClusterName>();
  readonly calls: string[] = [];
  readonly #listeners = new Set<Parameters<Ownership['onChange']>[0]>();

  set(state: OwnershipState, ...names: ClusterName[]): void {
    for (const name of names) {
      if (state === 'elsewhere') this.own.delete(name);
      else this.own.add(name);
    }
    const changes = new Map(names.map((name) => [name, state]));
    for (const listener of [...this.#listeners]) listener(changes);
  }

  stateOf(name: ClusterName): OwnershipState {
    return this.own.has(name) ? 'active' : 'elsewhere';
  }

  ownerOf(name: ClusterName): string {
    return `owner of ${name}`;
  }

  declare(name: ClusterName): void {
    this.calls.push(`declare ${name}`);
  }

  forget(name: ClusterName): void {
    this.calls.push(`forget ${name}`);
  }

  warmed(name: ClusterName): void {
    this.calls.push(`warmed ${name}`);
  }

  fenceOf(clusterName: ClusterName): WriteFence {
    this.calls.push(`fenceOf ${clusterName}`);
    return new WriteFence({ clusterName, clock: systemClock, mayWrite: () => this.own.has(clusterName) });
  }

  begin(name: ClusterName): () => void {
    this.calls.push(`begin ${name}`);
    return () => void this.calls.push(`end ${name}`);
  }

  onChange(listener: Parameters<Ownership['onChange']>[0]): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
}

describe('the ownership of a provider within a MultiProvider', () => {
  it('SH-9: has the names of the provider, and changes of its clusters only', () => {
    const fleet = new FleetOwnership();
    const ownership = qualifiedOwnership(fleet, {
      qualify: (name) => `eu#${name}`,
      nameOf: (qualified) => (qualified.startsWith('eu#') ? qualified.slice(3) : undefined),
    });
    const changes: [ClusterName, OwnershipState][][] = [];
    const remove = ownership.onChange((changed) => changes.push([...changed]));
    fleet.set('active', 'eu#1', 'us#1', 'eu#2');
    fleet.set('active', 'us#2');
    remove();
    fleet.set('elsewhere', 'eu#1');
    expect(changes).toEqual([
      [
        ['1', 'active'],
        ['2', 'active'],
      ],
    ]);
    expect([ownership.stateOf('1'), ownership.stateOf('2'), ownership.ownerOf('2')]).toEqual([
      'elsewhere',
      'active',
      'owner of eu#2',
    ]);
    ownership.declare('1');
    ownership.warmed('1');
    ownership.begin('1')();
    ownership.forget('1');
    expect(fleet.calls).toEqual(['declare eu#1', 'warmed eu#1', 'begin eu#1', 'end eu#1', 'forget eu#1']);
  });

  it('SH-9: a cluster is engaged while this process owns its name in the fleet, and names its owner otherwise', async () => {
    const fleet = new FleetOwnership();
    const [multi, member] = [createMultiProvider(), new InMemoryProvider<InMemoryCluster>()];
    member.set('1', () => new InMemoryCluster({ name: '1' }));
    await multi.addProvider('eu', member);
    const end = new AbortController();
    const running = multi.run({ engage: async () => undefined, ownership: fleet }, end.signal);
    await eventually(() => expect(fleet.calls).toEqual(['declare eu#1']));
    const refused: unknown = await multi.get('eu#1').catch((error: unknown) => error);
    expect(isNotOwner(refused)).toBe(true);
    expect(refused).toMatchObject({ clusterName: 'eu#1', owner: 'owner of eu#1' });
    fleet.set('active', 'eu#1');
    await eventually(() => expect(multi.clusterNames()).toEqual(['eu#1']));
    fleet.set('elsewhere', 'eu#1');
    await eventually(() => expect(multi.clusterNames()).toEqual([]));
    end.abort();
    await running;
    expect(fleet.calls).toEqual(['declare eu#1', 'forget eu#1']);
  });
});
