import { describe, expect, it, jest } from '@jest/globals';
import { ConfigMap } from '@mcr/client';
import { VirtualClock } from '@mcr/client/testing';
import { InMemoryCluster } from '../../testing/in-memory-cluster.ts';
import { ApplyPace } from './apply-pace.ts';
import { applyPlaced } from './apply-placed.ts';
import { desired } from './placement-options.ts';
import { placedScope } from './placement-record.ts';
import type { VerifiedObject } from './verified-objects.ts';

const key = { namespace: 'default', name: 'copy' };
const of = (colour: string) => desired(ConfigMap, { metadata: key, data: { colour } });

function scene() {
  const cluster = new InMemoryCluster({ name: 'eu-1' });
  const owner = { hub: 'hub', apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'owner', uid: 'uid-1' };
  const { signal } = new AbortController();
  const messages: string[] = [];
  const pace = new ApplyPace({
    clock: new VirtualClock(),
    inputs: () => '',
    onSlowed: ({ message }) => messages.push(message),
  });
  const apply = (colour: string, verified?: VerifiedObject, controller = 'shop') =>
    applyPlaced(cluster, of(colour), {
      controller,
      owner,
      fieldManager: `mcr-placement-${controller}`,
      isRecorded: true,
      pace,
      signal,
      verified,
    });
  /** Applies until the next apply is delayed. Returns the message. */
  const applyRepeatedly = async (disturb: () => Promise<unknown>): Promise<string | undefined> => {
    let verified = await apply('red');
    for (let index = 0; index < 4; index += 1) {
      await disturb();
      verified = await apply('red', verified);
    }
    return messages.at(-1);
  };
  return { cluster, apply, applyRepeatedly };
}

describe('applyPlaced', () => {
  it('FP-4: applies a deleted object again while another informer of the kind still has it', async () => {
    const { cluster, apply } = scene();
    const verified = await apply('red');
    const old = await cluster.client.get(ConfigMap, key);
    const peek = jest.spyOn(cluster.cache as Required<typeof cluster.cache>, 'peek');

    peek.mockReturnValue([old]);
    expect(await apply('red', verified)).toBe(verified);
    expect(peek.mock.lastCall?.[2]).toEqual(placedScope('shop'));

    await cluster.client.delete(ConfigMap, key);
    peek.mockImplementation((_kind, _key, scope) => (scope ? [] : [old]));
    await apply('red', verified);
    expect((await cluster.client.find(ConfigMap, key))?.data).toEqual({ colour: 'red' });
  });

  it('FP-4: says that another client changes a field, or deletes the object', async () => {
    const one = scene();
    const patch = { data: { colour: 'grey' } };
    expect(await one.applyRepeatedly(() => one.cluster.client.patch(ConfigMap, key, patch, 'merge'))).toContain(
      'another client changes data: stop that client, or leave the field out',
    );
    const two = scene();
    expect(await two.applyRepeatedly(() => two.cluster.client.delete(ConfigMap, key))).toContain(
      'another client deletes it: stop that client, or do not place the object',
    );
  });

  it('FP-4: says that another program with the same controller applies an object otherwise', async () => {
    const { apply, applyRepeatedly } = scene();
    expect(await applyRepeatedly(() => apply('blue'))).toContain(
      'another program, or this one for the same cluster with another name, applies it otherwise as the controller shop: stop that program',
    );
  });

  it('FP-4: names the other controller that places the object for the same owner', async () => {
    const { apply } = scene();
    await apply('red');
    await expect(apply('red', undefined, 'other')).rejects.toThrow(
      'ConfigMap default/copy is placed by the controller shop for the same owner: leave it out of one of the two',
    );
  });
});
