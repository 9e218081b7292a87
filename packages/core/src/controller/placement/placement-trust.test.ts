import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiClient, ConfigMap as ConfigMapObject, LogFields, Logger } from '@mcr/client';
import { ConfigMap, createClient, Namespace } from '@mcr/client';
import type { ControlPlaneFleet } from '@mcr/envtest';
import { createControlPlaneFleet } from '@mcr/envtest';
import { FLEET_OWNER_ANNOTATION, FLEET_OWNER_LABEL } from '../../objects/fleet-owner/fleet-owner.ts';
import { eventually as eventuallyWithin } from '../../testing/eventually.ts';
import type { RunningPlacement } from './placement.fixture.ts';
import { runPlacement } from './placement.fixture.ts';
import { desired } from './placement-options.ts';
import { PLACEMENT_LABEL, RECORD_LABEL } from './placement-record.ts';

const eventually = <Value>(condition: () => Value | Promise<Value>) =>
  eventuallyWithin(condition, { deadline: 60_000 });

describe('a placement among people who can write marks', () => {
  let fleet: ControlPlaneFleet;
  let hub: ApiClient;
  let member: ApiClient;
  let running: RunningPlacement;
  const lines: { readonly level: string; readonly message: string; readonly fields: LogFields | undefined }[] = [];
  const log = (level: string) => (message: string, fields?: LogFields) => void lines.push({ level, message, fields });
  const logger: Logger = {
    debug: () => undefined,
    info: () => undefined,
    warn: log('warn'),
    error: log('error'),
    child: () => logger,
  };

  beforeAll(async () => {
    fleet = await createControlPlaneFleet({ members: 1 });
    const [plane] = fleet.members;
    if (!plane) throw new Error('expected a member');
    hub = createClient(fleet.hub.config);
    member = createClient(plane.config);
    running = await runPlacement(fleet.hub.config, 'trust', {
      kinds: [ConfigMap],
      objects: ({ metadata, data = {} }) =>
        Object.keys(data).map((key) =>
          desired(ConfigMap, { metadata: { namespace: 'default', name: `${metadata.name}-${key}` }, data: { key } }),
        ),
      logger,
    });
    running.join(plane);
    for (const name of ['victim', 'attacker', 'team']) await hub.create(Namespace, { metadata: { name } });
  });
  afterAll(async () => {
    await running[Symbol.asyncDispose]();
    await hub.close();
    await member.close();
    await fleet.stop();
  });

  const findOwner = (namespace: string, name: string) => hub.find(ConfigMap, { namespace, name });
  const copy = (name: string) => member.find(ConfigMap, { namespace: 'default', name });
  const recordOf = async ({ metadata: { uid, namespace = '' } }: Pick<ConfigMapObject, 'metadata'>) => {
    const { items } = await hub.list(ConfigMap, { namespace, labelSelector: `${RECORD_LABEL}=trust` });
    return items.find(({ metadata }) => metadata.annotations?.[FLEET_OWNER_ANNOTATION]?.includes(uid));
  };
  /** Creates an owner with the copy `<name>-red`, and waits until the record says that it is placed. */
  async function owner(namespace: string, name: string) {
    const object = await hub.create(ConfigMap, {
      metadata: { namespace, name, labels: { placement: 'trust' } },
      data: { red: '' },
    });
    await eventually(async () => expect(JSON.stringify((await recordOf(object))?.data)).toContain('Placed'));
    const made = await copy(`${name}-red`);
    if (!made) throw new Error('expected a copy');
    return { object, made, mark: made.metadata.annotations?.[FLEET_OWNER_ANNOTATION] ?? '' };
  }

  it('FP-3: believes a record only in the place that the identity of its owner gives', async () => {
    const { object, mark } = await owner('victim', 'one');
    const before = await recordOf(object);
    await hub.create(ConfigMap, {
      metadata: {
        namespace: 'attacker',
        name: 'forged',
        labels: { [RECORD_LABEL]: 'trust' },
        annotations: { [FLEET_OWNER_ANNOTATION]: JSON.stringify({ ...(JSON.parse(mark) as object), name: 'another' }) },
      },
    });
    // A later owner of the same queue has been placed, so that the event of the forged record was handled.
    await owner('victim', 'two');
    expect((await recordOf(object))?.metadata.uid).toBe(before?.metadata.uid);
    await hub.delete(ConfigMap, { namespace: 'victim', name: 'one' });
    await eventually(async () => (await findOwner('victim', 'one')) === undefined);
    expect(await copy('one-red')).toBeUndefined();
    expect(await findOwner('attacker', 'forged')).toBeDefined();
  });

  it('FP-3: keeps owner and record until the members are clean when their namespace is deleted', async () => {
    const { object } = await owner('team', 'inside');
    const key = { namespace: 'default', name: 'inside-red' };
    await member.patch(ConfigMap, key, { metadata: { finalizers: ['example.com/hold'] } }, 'merge');
    await hub.delete(Namespace, { name: 'team' });
    await eventually(async () => expect((await copy('inside-red'))?.metadata.deletionTimestamp).toBeDefined());
    expect([await findOwner('team', 'inside'), await recordOf(object)]).toEqual([
      expect.objectContaining({ kind: 'ConfigMap' }),
      expect.objectContaining({ kind: 'ConfigMap' }),
    ]);
    await member.patch(ConfigMap, key, { metadata: { finalizers: null } }, 'merge');
    await eventually(async () => (await hub.find(Namespace, { name: 'team' })) === undefined);
    expect(await copy('inside-red')).toBeUndefined();
  });

  it('FP-3: searches the clusters for the objects of an owner whose record was lost', async () => {
    const { object } = await owner('victim', 'lost');
    const record = await recordOf(object);
    if (!record) throw new Error('expected a record');
    const { namespace = '', name } = record.metadata;
    // In this order: otherwise, the placement adds its finalizer again.
    await hub.delete(ConfigMap, { namespace, name });
    await hub.patch(ConfigMap, { namespace, name }, { metadata: { finalizers: null } }, 'merge');
    await hub.patch(ConfigMap, { namespace: 'victim', name: 'lost' }, { data: { red: null, blue: '' } }, 'merge');
    await eventually(async () =>
      expect([await copy('lost-red'), (await copy('lost-blue'))?.data]).toEqual([undefined, { key: 'blue' }]),
    );
    await hub.delete(ConfigMap, { namespace: 'victim', name: 'lost' });
    await eventually(async () => (await copy('lost-blue')) === undefined);
  });

  it('FP-3: deletes no object whose marks were forged, and reports those without an owner once', async () => {
    const { made, mark } = await owner('victim', 'marks');
    const { labels } = made.metadata;
    const forged = (name: string, text: string) =>
      member.create(ConfigMap, {
        metadata: {
          namespace: 'default',
          name,
          labels: { ...labels },
          annotations: { [FLEET_OWNER_ANNOTATION]: text },
        },
      });
    await forged('stranger', mark);
    for (const name of ['..', '1/x', '%2e']) {
      await forged(`invalid-${String(name.length)}`, JSON.stringify({ ...(JSON.parse(mark) as object), name })).catch(
        () => undefined,
      );
    }
    await hub.patch(ConfigMap, { namespace: 'victim', name: 'marks' }, { data: { red: null, blue: '' } }, 'merge');
    await eventually(async () => (await copy('marks-red')) === undefined);
    await hub.delete(ConfigMap, { namespace: 'victim', name: 'marks' });
    await eventually(async () => (await findOwner('victim', 'marks')) === undefined);
    expect(await copy('stranger')).toBeDefined();
    expect(lines.filter(({ level }) => level === 'error')).toEqual([]);
    expect(lines.filter(({ message }) => message.includes('without a valid owner'))).toHaveLength(1);
  });

  it('FP-4: restores the marks of a placed object, and deletes it without them when its owner is deleted', async () => {
    const { made } = await owner('victim', 'stripped');
    const key = { namespace: 'default', name: 'stripped-red' };
    const none = {
      labels: { [PLACEMENT_LABEL]: null, [FLEET_OWNER_LABEL]: null },
      annotations: { [FLEET_OWNER_ANNOTATION]: null },
    };
    await member.patch(ConfigMap, key, { metadata: none }, 'merge');
    await eventually(async () => expect((await copy('stripped-red'))?.metadata.labels).toEqual(made.metadata.labels));
    expect((await copy('stripped-red'))?.metadata.uid).toBe(made.metadata.uid);
    await running.provider.delete(fleet.members[0]?.name ?? '');
    await member.patch(ConfigMap, key, { metadata: none }, 'merge');
    await hub.delete(ConfigMap, { namespace: 'victim', name: 'stripped' });
    if (fleet.members[0]) running.join(fleet.members[0]);
    await eventually(async () => (await findOwner('victim', 'stripped')) === undefined);
    expect(await copy('stripped-red')).toBeUndefined();
  });
});
