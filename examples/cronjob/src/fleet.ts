import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApiClient } from '@mcr/core';
import { createClient, createCluster, createManager, InMemoryProvider, silentLogger } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { type Backend, createControlPlaneFleet, createServingIdentity } from '@mcr/envtest';
import { runOperator } from './operator.ts';
import { ROLE } from './standby.ts';

/** A member of the fleet. */
export interface Member {
  readonly name: string;
  readonly client: ApiClient;
}

/** Three members on this machine, and the operator that serves them. The third member is on standby. */
export interface CronJobFleet extends AsyncDisposable {
  readonly members: readonly Member[];
  /** Moves the clock of the operator ahead by a minute. */
  advance(): void;
}

/** Starts the fleet, and resolves when every member has the definition and the webhooks. */
export async function startCronJobFleet(backend?: Backend): Promise<CronJobFleet> {
  await using started = new AsyncDisposableStack();
  const fleet = started.use(await createControlPlaneFleet({ members: 3, backend }));
  const certDir = started.adopt(await mkdtemp(join(tmpdir(), 'mcr-cronjob-')), (path) => rm(path, { recursive: true }));
  const { caCertificate, certificate, key } = await createServingIdentity();
  const files = { 'ca.crt': caCertificate, 'tls.crt': certificate, 'tls.key': key };
  for (const [name, text] of Object.entries(files)) await writeFile(join(certDir, name), text);

  const provider = new InMemoryProvider();
  const { config } = fleet.hub;
  const manager = await createManager({ config, provider, logger: silentLogger, metrics: { bindAddress: '0' } });
  let ahead = 0;
  const end = new AbortController();
  const server = { certificate: { certDir }, bindAddress: '127.0.0.1:0', drainDelay: 0 };
  const stopped = runOperator({ manager, server, now: () => new Date(Date.now() + ahead) }, end.signal);
  started.defer(async () => {
    end.abort();
    await stopped;
  });

  const members = fleet.members.map(({ name, config: memberConfig }, index) => {
    const labels = { [ROLE]: index < 2 ? 'primary' : 'standby' };
    provider.set(name, createCluster(memberConfig, { name, info: { labels } }));
    return { name, client: started.use(createClient(memberConfig)) };
  });
  // The webhooks are installed, and every version is served.
  const isReady = ({ name }: Member) => manager.fleet.get(name)?.phase === 'Engaged';
  await Promise.race([stopped, eventually(() => members.every(isReady), { deadline: 150_000 })]);
  const resources = started.move();
  return {
    members,
    advance: () => void (ahead += 60_000),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
