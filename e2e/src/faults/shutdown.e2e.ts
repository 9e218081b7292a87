import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient } from '@mcr/core';
import { ConfigMap, createClient, Lease } from '@mcr/core';
import type { ControlPlane, ControlPlaneFleet, FaultRule } from '@mcr/envtest';
import { createFaultProxy, createControlPlaneFleet } from '@mcr/envtest';
import { until } from '../until.ts';
import type { Progress, Settings } from './shutdown-process.ts';

const program = fileURLToPath(new URL('shutdown-process.ts', import.meta.url));
const NAMESPACE = 'default';

describe('a process that receives SIGTERM', () => {
  let fleet: ControlPlaneFleet;
  let member: ControlPlane;
  let hub: ApiClient;
  let direct: ApiClient;
  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 1 });
    member = fleet.members[0] ?? fleet.hub;
    hub = createClient(fleet.hub.config);
    direct = createClient(member.config);
  });
  afterAll(async () => {
    await Promise.all([hub.close(), direct.close()]);
    await fleet.stop();
  });

  const start = (lease: string, options: Partial<Settings> = {}) =>
    new Process({ hub: fleet.hub.config, member: member.config, namespace: NAMESPACE, lease, work: 0, ...options });
  const put = (name: string) =>
    direct.create(ConfigMap, { metadata: { namespace: NAMESPACE, name }, data: { input: name } });
  const copyOf = (name: string) => hub.find(ConfigMap, { namespace: NAMESPACE, name });
  const holderOf = async (name: string) => (await hub.get(Lease, { namespace: NAMESPACE, name })).spec?.holderIdentity;

  it('F-20: during a reconcile, completes it, releases the lease and exits', async () => {
    await put('in-work');
    using process = start('amid-reconciles', { work: 500 });
    await process.has('reconciles');
    expect(await holderOf('amid-reconciles')).not.toBe('');
    process.terminate();
    // The process must exit by itself: an open timer, socket or listener would keep it alive.
    expect(await process.exit).toEqual([0, null]);
    expect(process.progress).toContain('reconciled');
    expect((await copyOf('in-work'))?.data).toEqual({ input: 'in-work' });
    expect(await holderOf('amid-reconciles')).toBe('');
  });

  it.each<[string, FaultRule]>([
    [
      'a list without a response',
      { on: 'requests', match: { path: 'configmaps' }, fault: { type: 'drop', part: 'response' } },
    ],
    ['a member that does not answer', { on: 'connections', fault: { type: 'half-open' } }],
  ])('F-20: during the initial sync of %s, exits without waiting', async (_, rule) => {
    await using proxy = await createFaultProxy({ target: member.config });
    const injection = proxy.inject(rule);
    using process = start('amid-sync', { member: proxy.config });
    await process.has('leads');
    await until(() => injection.hits > 0);
    const sent = performance.now();
    process.terminate();
    expect(await process.exit).toEqual([0, null]);
    // Less than the ten seconds of a connection to a member that does not answer.
    expect(performance.now() - sent).toBeLessThan(8_000);
    expect(process.progress).not.toContain('reconciles');
    expect(await holderOf('amid-sync')).toBe('');
  });

  it('F-20: twice, exits at once and does not release the lease, because the reconcile may still take effect', async () => {
    await direct.delete(ConfigMap, { namespace: NAMESPACE, name: 'in-work' });
    await put('endless');
    using process = start('twice', { work: null });
    await process.has('reconciles');
    process.terminate();
    await process.has('ends');
    process.terminate();
    expect(await process.exit).toEqual([143, null]);
    expect(await copyOf('endless')).toBeUndefined();
    expect(await holderOf('twice')).not.toBe('');
  });
});

/** A running `shutdown-process.ts`. */
class Process implements Disposable {
  readonly progress: Progress[] = [];
  /** Exit code and signal. Fails if the process hangs. */
  readonly exit: Promise<unknown[]>;
  readonly #child: ChildProcessByStdio<null, Readable, null>;

  constructor(settings: Settings) {
    const env = { ...process.env, SETTINGS: JSON.stringify(settings) };
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    this.#child = spawn(process.execPath, ['--conditions=@mcr/source', program], { env, stdio });
    this.exit = once(this.#child, 'close', { signal: AbortSignal.timeout(120_000) });
    this.exit.catch(() => undefined);
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.progress.push(line as Progress));
  }

  async has(progress: Progress): Promise<void> {
    await until(() => this.progress.includes(progress));
  }

  terminate(): void {
    this.#child.kill('SIGTERM');
  }

  [Symbol.dispose](): void {
    if (this.#child.exitCode === null) this.#child.kill('SIGKILL');
  }
}
