// The ceiling of each row: the same bytes read by bare node:http2 and thrown away, or the same work on bare objects.
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { connect } from 'node:http2';
import { awaitEach } from '../../src/no-op-reconciles.ts';
import { requestsOf, throughMapAndArray } from '../../src/workqueue-throughput.ts';
import type { Job, Steps } from './program.ts';
import { Countdown, forEachOf, percentiles, repeat, runRow, wallClock } from './program.ts';

const CONCURRENCY = 16;
const PATHS = { pods: '/api/v1/pods', configmaps: '/api/v1/configmaps', widgets: '/apis/example.com/v1/widgets' };
const WATCH_LIST =
  'watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan&resourceVersion=';

await runRow({ sync, watch: sync, engage, latency, queue, reconciles });

/** Opens a session with windows that do not limit the server. */
async function open(url: string, { ca }: Job): Promise<ClientHttp2Session> {
  const session = connect(url, { ca, settings: { initialWindowSize: 8 << 20, enablePush: false } });
  await new Promise((resolve, reject) => session.once('connect', resolve).once('error', reject));
  session.setLocalWindowSize(8 << 20);
  return session;
}

function get(session: ClientHttp2Session, path: string, { token }: Job): ClientHttp2Stream {
  return session.request({ ':path': path, authorization: `Bearer ${token}` });
}

async function sync(job: Job, steps: Steps): Promise<void> {
  steps.report();
  await steps.next();
  const session = await open(job.urls[0] ?? '', job);
  const stream = get(session, `${PATHS[job.resource]}?${WATCH_LIST}`, job);
  let read = 0;
  let expected = job.initialBytes;
  let reached = Promise.withResolvers<void>();
  stream.on('data', (bytes: Buffer) => {
    read += bytes.length;
    if (read >= expected) reached.resolve();
  });
  await reached.promise;
  steps.report();
  if (job.flowBytes === 0 || (await steps.next()) === undefined) return;
  reached = Promise.withResolvers();
  expected += job.flowBytes;
  await reached.promise;
  steps.report();
}

/** Lists and watches three kinds of each cluster. */
async function engage(job: Job, steps: Steps): Promise<void> {
  steps.report();
  await steps.next();
  await forEachOf(job.urls, CONCURRENCY, async (url) => {
    const session = await open(url, job);
    await forEachOf(['configmaps', 'secrets', 'serviceaccounts'], 3, async (resource) => {
      const stream = get(session, `/api/v1/${resource}?${WATCH_LIST}`, job);
      await new Promise((resolve) => stream.once('data', resolve));
      stream.resume();
    });
  });
  steps.report();
}

/** Measures until the bytes of a change are here. */
async function latency(job: Job, steps: Steps): Promise<void> {
  steps.report();
  await steps.next();
  const latencies: number[] = [];
  const changes = new Countdown(job.urls.length * job.updates);
  const stamp = Buffer.from('"at":"');
  await forEachOf(job.urls, CONCURRENCY, async (url) => {
    const stream = get(await open(url, job), `${PATHS.configmaps}?${WATCH_LIST}`, job);
    stream.on('data', (bytes: Buffer) => {
      const arrived = wallClock();
      for (let at = bytes.indexOf(stamp); at >= 0; at = bytes.indexOf(stamp, at + 1)) {
        latencies.push(arrived - Number(bytes.toString('latin1', at + 6, at + 22)) / 1000);
        changes.tick();
      }
    });
    await new Promise((resolve) => stream.once('data', resolve));
  });
  steps.report();
  await steps.next();
  await changes.done;
  steps.report(percentiles(latencies));
}

/** A Map and an array instead of a queue. */
async function queue(job: Job, steps: Steps): Promise<void> {
  const requests = requestsOf(job.objects);
  await repeat(steps, async () => throughMapAndArray(requests));
}

/** Awaits an empty function. */
async function reconciles(job: Job, steps: Steps): Promise<void> {
  await repeat(steps, () => awaitEach(job.objects));
}
