import { describe, expect, it } from '@jest/globals';
import type { FieldIndexer } from '@mcr/client';
import { ConfigMap, Secret } from '@mcr/client';
import { IndexRegistry } from './index-registry.ts';

/** An indexer that can be made to fail. */
class Indexer implements FieldIndexer {
  readonly made: string[] = [];
  failures: number;

  constructor({ failures = 0 } = {}) {
    this.failures = failures;
  }

  async indexField(_kind: unknown, name: string): Promise<void> {
    if (this.failures-- > 0) throw new Error('no room for an index');
    this.made.push(name);
  }
}

const noTeam = () => [];

describe('IndexRegistry', () => {
  it('CL-4: refuses an index without a name, or without a function', async () => {
    const add = (...args: readonly unknown[]) =>
      new IndexRegistry().add(ConfigMap, ...(args as [string, () => string[]]), () => []);
    const call = 'indexField of v1 ConfigMap: expected';
    await expect(add(() => [])).rejects.toThrow(`${call} the name of the index, found a function`);
    await expect(add('')).rejects.toThrow(`${call} the name of the index, found an empty string`);
    await expect(add('team', undefined)).rejects.toThrow(
      `${call} a function that returns the values of an object, or a path such as ".spec.nodeName", found undefined`,
    );
  });

  it('CL-4: refuses an index that is registered with another function', async () => {
    const indexer = new Indexer();
    const indexes = new IndexRegistry();
    const present = () => [indexer];
    await indexes.add(ConfigMap, 'by-team', noTeam, present);
    await expect(indexes.add(ConfigMap, 'by-team', () => ['web'], present)).rejects.toThrow(
      'index "by-team" of v1 ConfigMap is already registered with another function or path: ' +
        'choose another name, or define the function once and pass the same one',
    );
    await indexes.add(Secret, 'by-team', () => ['web'], present);
    expect(indexer.made).toEqual(['by-team', 'by-team']);
  });

  it('CL-4: adds an index by path once, and refuses another path', async () => {
    const indexer = new Indexer();
    const indexes = new IndexRegistry();
    const present = () => [indexer];
    const path = ['data', 'team'];
    await indexes.add(ConfigMap, 'by-team', path, present);
    path[1] = 'changed';
    await indexes.add(ConfigMap, 'by-team', '.data.team', present);
    expect(indexer.made).toEqual(['by-team']);
    await expect(indexes.add(ConfigMap, 'by-team', '.data.owner', present)).rejects.toThrow('another function or path');
  });

  it('CL-4: adds an index once to each current and future cluster', async () => {
    const [early, late] = [new Indexer(), new Indexer()];
    const indexes = new IndexRegistry();
    await indexes.add(ConfigMap, 'by-team', noTeam, () => [early]);
    await indexes.add(ConfigMap, 'by-team', noTeam, () => [early]);
    for (const makeIndex of indexes) await makeIndex(late);
    expect([early.made, late.made]).toEqual([['by-team'], ['by-team']]);
  });

  it('CL-4: reports an index that fails on one cluster to every caller, and retries it at the next request', async () => {
    const [good, bad] = [new Indexer(), new Indexer({ failures: 1 })];
    const indexes = new IndexRegistry();
    const add = () => indexes.add(ConfigMap, 'by-team', noTeam, () => [good, bad]);
    const answers = await Promise.allSettled([add(), add()]);
    expect(answers).toMatchObject([
      { status: 'rejected', reason: { message: 'no room for an index' } },
      { status: 'rejected', reason: { message: 'no room for an index' } },
    ]);
    await add();
    expect(bad.made).toEqual(['by-team']);
  });

  it('CL-4: adds an index to a new cluster also after a failure', async () => {
    const late = new Indexer();
    const indexes = new IndexRegistry();
    const added = indexes.add(ConfigMap, 'by-team', noTeam, () => [new Indexer({ failures: 1 })]);
    await expect(added).rejects.toThrow('no room for an index');
    for (const makeIndex of indexes) await makeIndex(late);
    expect(late.made).toEqual(['by-team']);
  });
});
