import { it } from '@jest/globals';
import { ConfigMap, createClient, createOrUpdate, parseKubeconfig } from '@mcr/core';
import { createKindStandIn } from '@mcr/envtest';
import { createKindBinary, createKindProvider } from '@mcr/provider-kind';
import { currentRun } from '../backend/run.ts';
import { scenario } from '../backend/stage.ts';
import { ObservedManager } from '../fleet/observed-manager.ts';
import { until } from '../until.ts';

/** Deadline in milliseconds: creating a Kind cluster takes a minute or more. */
const WITHIN = 300_000;

scenario('provider-kind', {}, (stage) => {
  it(
    'KD-1: engages a Kind cluster that is created, and disengages it when it is deleted',
    async () => {
      const { namespace, stack } = stage();
      // The program in the PATH if the run is on Kind clusters, otherwise a stand-in.
      const standIn = currentRun().backend === 'kind' ? undefined : stack.use(await createKindStandIn());
      const binary = standIn?.binary ?? 'kind';
      const kind = createKindBinary({ binary });
      const name = `${namespace}-eu`;
      const signal = AbortSignal.timeout(WITHIN);
      stack.defer(() => kind.delete(name, AbortSignal.timeout(WITHIN)));
      const provider = createKindProvider({ prefix: namespace, binary, pollInterval: 500 });
      const manager = await ObservedManager.start(stage(), provider);

      const kubeconfig = await kind.create(name, { signal });
      await using client = createClient(parseKubeconfig(kubeconfig, { policy: 'untrusted' }));
      const key = { namespace: 'default', name: 'settings' };
      await createOrUpdate(client, ConfigMap, key, (configMap) => {
        configMap.data = { input: 'a' };
      });
      await manager.saw(name, key, 'a');
      await manager.reaches(name, 'Engaged');

      await kind.delete(name, signal);
      await until(() => manager.status(name)?.phase === 'Disengaged');
    },
    2 * WITHIN,
  );
});
