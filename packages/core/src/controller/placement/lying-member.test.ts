import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApiClient, LogFields, Logger } from '@mcr/client';
import { ConfigMap, createClient } from '@mcr/client';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { eventually as eventuallyWithin } from '../../testing/eventually.ts';
import type { LyingRequest } from './lying-member.fixture.ts';
import { LyingMember } from './lying-member.fixture.ts';
import type { RunningPlacement } from './placement.fixture.ts';
import { runPlacement } from './placement.fixture.ts';
import { desired } from './placement-options.ts';
import { RECORD_LABEL } from './placement-record.ts';

const eventually = (condition: () => unknown) => eventuallyWithin(condition, { deadline: 60_000 });
const key = (name: string) => ({ namespace: 'default', name });
const isRead = ({ method, url }: LyingRequest) => method === 'GET' && url.includes('/configmaps/');
const isSearch = ({ method, url }: LyingRequest) =>
  method === 'GET' && url.includes('owner-digest') && !url.includes('watch=');

describe('a placement with a member that lies', () => {
  let fleet: ControlPlaneFleet;
  let hub: ApiClient;
  let honest: ApiClient;
  let liar: LyingMember;
  let hubProxy: LyingMember;
  let running: RunningPlacement;
  const errors: unknown[] = [];
  const log = (_: string, fields?: LogFields) => void errors.push(fields?.['error']);
  const logger: Logger = { debug: () => undefined, info: () => undefined, warn: log, error: log, child: () => logger };

  beforeEach(async () => {
    fleet = await createControlPlaneFleet({ members: 2 });
    const [first = fleet.hub, second = fleet.hub] = fleet.members;
    liar = new LyingMember(first);
    hubProxy = new LyingMember(fleet.hub);
    hub = createClient(fleet.hub.config);
    honest = createClient(second.config);
    running = await runPlacement(await hubProxy.listen(), 'lies', {
      kinds: [ConfigMap],
      objects: ({ metadata, data = {} }) => [desired(ConfigMap, { metadata: key(`${metadata.name}-copy`), data })],
      logger,
    });
    running.join({ name: 'liar', config: await liar.listen() });
    running.join({ name: 'honest', config: second.config });
    await hub.create(ConfigMap, { metadata: { ...key('one'), labels: { placement: 'lies' } }, data: { round: '1' } });
    await eventually(async () => expect((await record())?.data?.['liar']).toContain('Placed'));
  });
  afterEach(async () => {
    await running[Symbol.asyncDispose]();
    for (const client of [hub, honest]) await client.close();
    for (const proxy of [liar, hubProxy]) await proxy[Symbol.asyncDispose]();
    await fleet.stop();
  });

  const record = async () =>
    (await hub.list(ConfigMap, { namespace: 'default', labelSelector: `${RECORD_LABEL}=lies` })).items[0];
  const copy = async () => (await honest.find(ConfigMap, key('one-copy')))?.data?.['round'];

  it('S-14: takes managedFields of a wrong type for an invalid answer, and not for a mistake of the program', async () => {
    liar.lies = {
      edit: (request, body) => {
        if (!isRead(request)) return body;
        return { ...body, metadata: { ...(body['metadata'] as object), managedFields: [null] } };
      },
    };
    await hub.patch(ConfigMap, key('one'), { data: { round: '2' } }, 'merge');
    await eventually(async () => expect((await record())?.data?.['liar']).toContain('managedFields[0] is null'));
    expect(await copy()).toBe('2');
    expect(errors.filter((error) => error instanceof TypeError)).toEqual([]);
  });

  it('S-8: does not write the names that a search of a member finds to the record, and deletes the objects', async () => {
    let marks: object | undefined;
    const forged = Array.from({ length: 500 }, (_, index) => index);
    liar.lies = {
      edit: (request, body) => {
        if (!isSearch(request)) return body;
        [{ metadata: marks } = { metadata: undefined }] = body['items'] as { metadata: object }[];
        return { ...body, items: forged.map((index) => ({ metadata: { ...marks, name: `forged-${index}` } })) };
      },
      answer: ({ url }) =>
        url.includes('/forged-') ? { body: { metadata: { ...marks, finalizers: ['example.com/kept'] } } } : undefined,
    };
    const lost = await record();
    await hub.patch(ConfigMap, key(lost?.metadata.name ?? ''), { metadata: { finalizers: null } }, 'merge');
    await hub.delete(ConfigMap, key(lost?.metadata.name ?? ''));
    await eventually(async () => expect((await record())?.data?.['honest']).toContain('Placed'));
    await eventually(async () => expect((await record())?.data?.['liar']).toContain('waiting for the deletion of 500'));
    await hub.patch(ConfigMap, key('one'), { data: { round: '2' } }, 'merge');
    await eventually(async () => (await copy()) === '2');
    expect(JSON.stringify((await record())?.data)).not.toContain('forged-499');

    liar.lies = {};
    await hub.delete(ConfigMap, key('one'));
    await eventually(async () => expect(await honest.find(ConfigMap, key('one-copy'))).toBeUndefined());
  });

  it('S-8: writes the failures of a member that fails and succeeds by turns to the record at intervals', async () => {
    let reads = 0;
    const refusal = () => ({ kind: 'Status', code: 400, reason: 'BadRequest', message: `refused ${reads}` });
    liar.lies = {
      answer: (request) => {
        if (!isRead(request)) return undefined;
        reads += 1;
        return reads % 2 === 0 ? { status: 400, body: refusal() } : undefined;
      },
    };
    const [plane = fleet.hub] = fleet.members;
    const direct = createClient(plane.config);
    hubProxy.requests.length = 0;
    for (let round = 0; round < 50; round += 1) {
      const before = reads;
      await direct.patch(ConfigMap, key('one-copy'), { metadata: { annotations: { round: String(round) } } }, 'merge');
      await eventually(() => reads > before);
    }
    await direct.close();
    const writes = hubProxy.requests.filter(({ method }) => method === 'PATCH');
    expect(writes.length).toBeGreaterThan(0);
    expect(writes.length).toBeLessThan(12);
  });
});
