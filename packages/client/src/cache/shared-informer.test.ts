import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { VirtualClock } from '../clock/virtual-clock.ts';
import type { ConfigMap } from '../kinds/builtin.ts';
import type { DeepReadonly } from '../kinds/object.ts';
import { silentLogger } from '../log/logger.ts';
import {
  added,
  configMap,
  deleted,
  initialEventsEnd,
  modified,
  ScriptedListerWatcher,
} from '../reflector/scripted-lister-watcher.ts';
import type { InformerHandler } from './informer.ts';
import { SharedInformer } from './shared-informer.ts';

/** Writes down its calls: `+a@1` added, `+a@1!` initially, `a@1>2` updated, `-a@2` deleted, `-a@2?` unseen. */
function recorder(): InformerHandler<ConfigMap> & { readonly calls: string[] } {
  const calls: string[] = [];
  const text = ({ metadata }: DeepReadonly<ConfigMap>) => `${metadata.name}@${metadata.resourceVersion}`;
  return {
    calls,
    onAdd: (object, { initial }) => calls.push(`+${text(object)}${initial ? '!' : ''}`),
    onUpdate: (old, object) => calls.push(`${text(old)}>${object.metadata.resourceVersion}`),
    onDelete: (object, { finalStateUnknown }) => calls.push(`-${text(object)}${finalStateUnknown ? '?' : ''}`),
  };
}

/** Turns of the event loop, until `condition` holds. The test's own deadline is the limit. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

describe('SharedInformer', () => {
  let clock: VirtualClock;
  let server: ScriptedListerWatcher;
  let informer: SharedInformer<ConfigMap>;
  let stop: AbortController;
  let run: Promise<void>;

  beforeEach(() => {
    clock = new VirtualClock();
    server = new ScriptedListerWatcher();
    informer = new SharedInformer<ConfigMap>({
      listerWatcher: server,
      transform: (object) => object,
      clock,
      logger: silentLogger,
      random: () => 0,
    });
    stop = new AbortController();
    run = informer.run(stop.signal);
  });

  afterEach(async () => {
    stop.abort();
    await run;
    expect(clock.pendingTimers).toBe(0);
  });

  it('F-21: tells initial objects, then changes', async () => {
    const handler = recorder();
    const registration = informer.addHandler(handler);
    const watch = await server.nextWatch();
    watch.send(
      added(configMap('a', '1')),
      added(configMap('b', '2')),
      initialEventsEnd('5'),
      modified(configMap('a', '6')),
    );
    watch.send(deleted(configMap('b', '7')));
    await until(() => informer.lastSyncedResourceVersion === '7');
    await registration.synced;
    expect(handler.calls).toEqual(['+a@1!', '+b@2!', 'a@1>6', '-b@7']);
  });
});
