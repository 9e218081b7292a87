import { describe, expect, it } from '@jest/globals';
import { createManager, silentLogger } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { createKubeconfigProvider } from './kubeconfig-provider.ts';
import { base64, LABEL } from './scene.fixture.ts';
import { UncheckedHub, wrongValues } from './unchecked-hub.fixture.ts';

describe('Secrets whose fields have wrong types', () => {
  it('PV-4, S-14: affect only their own entry, which keeps its last good cluster', async () => {
    await using hub = new UncheckedHub();
    const server = await hub.listen();
    const kubeconfig = base64(
      JSON.stringify({
        clusters: [{ name: 'a', cluster: { server } }],
        contexts: [{ name: 'a', context: { cluster: 'a' } }],
        'current-context': 'a',
      }),
    );
    const labels = { [LABEL]: 'true' };
    const good = { metadata: { labels }, data: { kubeconfig } };
    hub.put('eu-1', good);
    hub.put('never-good', { metadata: { labels }, data: 7 });
    const provider = createKubeconfigProvider({ namespace: 'fleet' });
    const manager = await createManager({
      config: { server },
      provider,
      logger: silentLogger,
      metrics: { bindAddress: '0' },
    });
    const end = new AbortController();
    const started = manager.start(end.signal);
    const reason = (name: string) => manager.fleet.get(name)?.reason;
    try {
      await eventually(() => expect(manager.fleet.get('eu-1')?.phase).toBe('Engaged'));
      const cluster = await provider.get('eu-1');
      await eventually(() => expect(reason('never-good')).toBe('data: expected an object'));

      const table = [
        ...wrongValues({}).map((data) => ({ field: 'data', secret: { ...good, data } })),
        ...wrongValues('').map((value) => ({
          field: 'data.kubeconfig',
          secret: { ...good, data: { kubeconfig: value } },
        })),
        ...wrongValues('').map((env) => ({
          field: 'metadata.labels.env',
          secret: { ...good, metadata: { labels: { ...labels, env } } },
        })),
      ];
      for (const [index, { field, secret }] of table.entries()) {
        hub.put('eu-1', secret);
        await eventually(() => expect(reason('eu-1')).toMatch(new RegExp(`^${field}: expected .*keeps its last good`)));
        expect(await provider.get('eu-1')).toBe(cluster);
        expect(manager.fleet.get('eu-1')?.phase).toBe('Engaged');
        // The provider continues with the next entries.
        hub.put(`later-${index}`, good);
        await eventually(() => expect(provider.clusterNames()).toContain(`later-${index}`));
        hub.put('eu-1', good);
        await eventually(() => expect(reason('eu-1')).toBe('its entry can be used again'));
      }
      hub.put('never-good', good);
      await eventually(() => expect(manager.fleet.get('never-good')?.phase).toBe('Engaged'));
    } finally {
      end.abort();
      await started;
    }
  });
});
