import { describe, expect, it } from '@jest/globals';
import { createControlPlaneFleet } from './fleet.ts';
import { CONFIG_MAPS, configMap, RawClient } from '../../apiserver/src/raw-client.fixture.ts';

describe('fleet', () => {
  it('consists of a hub and members in one process, each a separate cluster', async () => {
    await using fleet = await createControlPlaneFleet({ members: 2 });
    const [one, two] = fleet.members;
    expect(fleet.members.map(({ name }) => name)).toEqual(['member-1', 'member-2']);
    expect(new Set([fleet.hub, ...fleet.members].map(({ pid }) => pid)).size).toBe(1);
    using first = new RawClient(one?.config ?? fleet.hub.config);
    using second = new RawClient(two?.config ?? fleet.hub.config);
    await first.post(CONFIG_MAPS, configMap('only-in-one'));
    expect((await second.get(`${CONFIG_MAPS}/only-in-one`)).status).toBe(404);
    const uidOf = async (client: RawClient): Promise<string> =>
      (await client.get('/api/v1/namespaces/kube-system')).body.metadata.uid;
    expect(await uidOf(first)).not.toBe(await uidOf(second));
    using stranger = new RawClient({ ...fleet.hub.config, ...(one?.config.auth && { auth: one.config.auth }) });
    expect((await stranger.get(CONFIG_MAPS)).status).toBe(401);
  });

  it('grows and shrinks', async () => {
    await using fleet = await createControlPlaneFleet({ members: 1 });
    const late = await fleet.addMember('late');
    expect(fleet.members.map(({ name }) => name)).toEqual(['member-1', 'late']);
    await expect(fleet.addMember('late')).rejects.toThrow(/already/);
    using client = new RawClient(late.config);
    expect((await client.get('/version')).status).toBe(200);
    await late.stop();
    using gone = new RawClient(late.config);
    await expect(gone.get('/version')).rejects.toThrow(/ECONNREFUSED/);
    using hub = new RawClient(fleet.hub.config);
    expect((await hub.get('/version')).status).toBe(200);
  });
});
