import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { createCache } from '../cache/create-cache.ts';
import { createClient } from '../client/create-client.ts';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import { added, configMap, initialEventsEnd } from '../reflector/scripted-lister-watcher.fixture.ts';
import { createTransport } from '../transport/create-transport.ts';
import { startPlainServer, type Handler } from '../transport/server.fixture.ts';
import { transportFixture } from '../transport/transport.fixture.ts';

const { owned } = transportFixture();

it('F-13: a watch whose credentials expired resumes without a list as soon as they are rotated', async () => {
  let accepted = 'old';
  /** The start of each watch, and whether its credentials were accepted. */
  const requests: string[] = [];
  let endWatch: () => void = () => undefined;
  const handler: Handler = (request, response) => {
    const query = new URL(request.url, 'http://h').searchParams;
    const granted = request.headers.authorization === `Bearer ${accepted}`;
    requests.push(`${query.get('sendInitialEvents') ? 'initial' : query.get('resourceVersion')} ${granted}`);
    response.writeHead(granted ? 200 : 401);
    const resumed = query.get('resourceVersion') === '10';
    const events = resumed ? [added(configMap('b', '11'))] : [added(configMap('a', '9')), initialEventsEnd('10')];
    if (!granted) response.end();
    else for (const event of events) response.write(`${JSON.stringify(event)}\n`);
    endWatch = () => response.end();
  };
  const server = owned(await startPlainServer(handler));
  const configOf = (token: string): ClusterConfig => ({
    server: `http://localhost:${server.port}`,
    auth: { type: 'token', token },
  });
  const clock = new VirtualClock();
  const transport = owned(createTransport(configOf('old'), { clock }));
  const cache = createCache({ client: createClient(configOf('old'), { transport }), clock });
  const end = new AbortController();
  const run = cache.run(end.signal);
  try {
    const informer = await cache.informer(ConfigMap);
    await informer.waitForSync(end.signal);
    accepted = 'new';
    endWatch();
    while (requests.length < 2) await clock.advance(10);
    while (informer.lastError === undefined) await setImmediate();

    // The clock does not advance, so only the rotation can end the backoff.
    await transport.rotate(configOf('new'));
    while (informer.store.size < 2) await setImmediate();
    expect(requests).toEqual(['initial true', '10 false', '10 true']);
  } finally {
    end.abort();
    await run;
  }
});
