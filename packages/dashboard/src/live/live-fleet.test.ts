import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { type Manager, createManager, InMemoryProvider, silentLogger } from '@mcr/core';
import { eventually, VirtualClock } from '@mcr/core/testing';
import type { ClustersEvent, Overview } from '../protocol.ts';
import { LiveFleet } from './live-fleet.ts';

const SECOND = 1_000;

describe('the event streams of open pages', () => {
  let clock: VirtualClock;
  let fleet: Manager['fleet'];
  let live: LiveFleet;
  let server: Server;
  let overviews: number;
  let streams: IncomingMessage[];

  beforeEach(async () => {
    clock = new VirtualClock();
    const manager = await createManager({
      ...{ clock, logger: silentLogger, provider: new InMemoryProvider(), metrics: { bindAddress: '0' } },
    });
    ({ fleet } = manager);
    overviews = 0;
    const overview = async (): Promise<Overview> => ({ title: 'Fleet', now: ++overviews, controllers: [] });
    live = new LiveFleet({ fleet, clock, logger: silentLogger, overview, maxViewers: 2 });
    server = createServer((_, response) => live.serve(response));
    streams = [];
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    for (const stream of streams) stream.destroy();
    server.closeAllConnections();
    server.close();
    await eventually(() => expect(clock.pendingTimers).toBe(0));
  });

  async function open(): Promise<{ readonly stream: IncomingMessage; readonly text: () => string }> {
    const { port } = server.address() as AddressInfo;
    const [stream] = (await once(get({ port, agent: false }), 'response')) as [IncomingMessage];
    streams.push(stream);
    let text = '';
    return {
      stream,
      text: () => {
        for (let chunk; (chunk = stream.read() as Buffer | null);) text += String(chunk);
        return text;
      },
    };
  }

  function clustersIn(text: string): ClustersEvent[] {
    return [...text.matchAll(/^event: clusters\ndata: (.*)$/gmu)].map(
      ([, data]) => JSON.parse(data ?? '') as ClustersEvent,
    );
  }

  it('WB-8: sends the fleet, and then changes once in half a second', async () => {
    fleet.recorder.phase('eu-1', 'Connecting', 'one');
    const { text } = await open();
    await eventually(() => expect(clustersIn(text())).toHaveLength(1));
    fleet.recorder.phase('eu-1', 'Syncing', 'two');
    fleet.recorder.phase('eu-1', 'Engaged', 'three');
    fleet.recorder.phase('eu-2', 'Connecting', 'one');
    fleet.recorder.labels('eu-2', { env: 'prod' });
    await turn();
    await clock.advance(0.5 * SECOND);
    await eventually(() => expect(clustersIn(text())).toHaveLength(2));
    expect(clustersIn(text())).toMatchObject([
      { reset: true, rows: [{ name: 'eu-1', phase: 'Connecting' }] },
      {
        rows: [
          { name: 'eu-1', phase: 'Engaged', reason: 'three' },
          { name: 'eu-2', phase: 'Connecting', labels: { env: 'prod' } },
        ],
      },
    ]);
  });

  it('WB-8: sends counters that have changed, which no change of a phase announces', async () => {
    fleet.recorder.phase('eu-1', 'Engaged', 'one');
    const { text } = await open();
    const error = new Error('conflict');
    fleet.recorder.reconcile('eu-1', { controller: 'carts', result: 'error', error });
    await clock.advance(0.5 * SECOND);
    await eventually(() =>
      expect(clustersIn(text()).at(-1)?.rows).toMatchObject([{ reconciles: 1, errors: 1, lastError: 'conflict' }]),
    );
  });

  it('WB-8: reads the counters of a large fleet in turn', async () => {
    for (let index = 0; index < 2_500; index += 1) fleet.recorder.phase(`c${index}`, 'Engaged', 'one');
    const { text } = await open();
    await eventually(() => expect(clustersIn(text()).at(-1)?.complete).toBe(true));
    const before = clustersIn(text()).length;
    for (let index = 0; index < 2_500; index += 1)
      fleet.recorder.reconcile(`c${index}`, { controller: 'carts', result: 'success' });
    const counted = () =>
      new Set(
        clustersIn(text())
          .slice(before)
          .flatMap(({ rows }) => rows.flatMap(({ name, reconciles }) => (reconciles ? name : []))),
      );
    await clock.advance(0.5 * SECOND);
    await eventually(() => expect(counted().size).toBe(1_000));
    await clock.advance(SECOND);
    await eventually(() => expect(counted().size).toBe(2_500));
  });

  it('WB-8: sends an overview at once and every two seconds', async () => {
    const { text } = await open();
    const nows = () => [...text().matchAll(/^data: \{"title":"Fleet","now":(\d+)/gmu)].map(([, now]) => Number(now));
    await eventually(() => expect(nows()).toEqual([1]));
    await clock.advance(2 * SECOND);
    await eventually(() => expect(nows()).toEqual([1, 2]));
  });

  it('WB-8: accepts a bounded number of pages, and another one when a page was closed', async () => {
    const [first] = [await open(), await open()];
    const refused = await open();
    expect(refused.stream.statusCode).toBe(503);
    expect(refused.stream.headers['retry-after']).toBe('10');
    await eventually(() => expect(refused.text()).toContain('2 pages are open already'));
    first.stream.destroy();
    await eventually(async () => expect((await open()).stream.statusCode).toBe(200));
  });

  it('WB-8: reads nothing while no page is open', async () => {
    const { stream } = await open();
    await eventually(() => expect(overviews).toBe(1));
    expect(clock.pendingTimers).toBeGreaterThan(0);
    stream.destroy();
    await eventually(() => expect(clock.pendingTimers).toBe(0));
    await clock.advance(10 * SECOND);
    expect(overviews).toBe(1);
  });

  it('WB-8: a page that was closed while its token was checked takes no place', async () => {
    server.removeAllListeners('request').on('request', (_, response) => {
      response.destroy();
      response.once('close', () => live.serve(response));
    });
    const { port } = server.address() as AddressInfo;
    for (let count = 0; count < 3; count += 1) await once(get({ port, agent: false }), 'error');
    server.removeAllListeners('request').on('request', (_, response) => live.serve(response));
    expect((await open()).stream.statusCode).toBe(200);
  });

  it('WB-9: ends a stream after ten minutes, so that its token is checked again', async () => {
    const { stream } = await open();
    const ended = once(stream.resume(), 'end');
    await clock.advance(600 * SECOND);
    await ended;
  });

  it('WB-8: a page that reads nothing takes a bounded amount of memory, and is disconnected', async () => {
    const size = 3_000;
    const reason = 'x'.repeat(250);
    for (let index = 0; index < size; index += 1) fleet.recorder.phase(`c${index}`, 'Engaged', reason);
    let response: { readonly writableLength: number; readonly destroyed: boolean } | undefined;
    server.removeAllListeners('request').on('request', (_, each) => {
      response = each;
      live.serve(each);
    });
    await open();
    for (let second = 0; second < 25; second += 1) {
      for (let index = 0; index < size; index += 1)
        fleet.recorder.phase(`c${index}`, second % 2 ? 'Engaged' : 'Degraded', `${second} ${reason}`);
      await turn();
      await clock.advance(SECOND);
    }
    expect(response?.writableLength).toBeLessThan(200 * 1024);
    expect(response?.destroyed).toBe(false);
    await clock.advance(10 * SECOND);
    await eventually(() => expect(response?.destroyed).toBe(true));
  });

  it('WB-8: a page that was slow gets the latest state of every cluster', async () => {
    const size = 3_000;
    const reason = 'x'.repeat(250);
    for (let index = 0; index < size; index += 1) fleet.recorder.phase(`c${index}`, 'Engaged', reason);
    const { text } = await open();
    for (let second = 0; second < 10; second += 1) {
      for (let index = 0; index < size; index += 1)
        fleet.recorder.phase(`c${index}`, 'Degraded', `${second} ${reason}`);
      await turn();
      await clock.advance(SECOND);
    }
    const latest = () => {
      const rows = new Map<string, string>();
      for (const event of clustersIn(text())) for (const row of event.rows) rows.set(row.name, row.reason);
      return rows;
    };
    await eventually(() => expect(new Set([...latest().values()].map((each) => each[0]))).toEqual(new Set('9')));
    expect(latest().size).toBe(size);
  });
});
