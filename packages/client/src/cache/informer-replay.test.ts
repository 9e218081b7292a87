import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { VirtualClock } from '../clock/virtual-clock.ts';
import { ConfigMap } from '../kinds/builtin.ts';
import type { DeepReadonly } from '../kinds/object.ts';
import { silentLogger } from '../log/logger.ts';
import { ListSlots } from '../reflector/list-slots.ts';
import { InMemoryServer } from '../reflector/in-memory-server.fixture.ts';
import type {
  InformerAddEvent,
  InformerDeleteEvent,
  InformerHandler,
  InformerUpdateEvent,
  Registration,
} from './informer.ts';
import { SharedInformer } from './shared-informer.ts';

fc.configureGlobal({ seed: 1 });

type Action =
  | { readonly type: 'put' | 'delete'; readonly name: string }
  | { readonly type: 'bookmark' | 'endStreams' | 'breakStreams' | 'compact' | 'addHandler' | 'removeHandler' }
  | { readonly type: 'wait'; readonly duration: number };

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('put' as const), name }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('delete' as const), name }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('wait' as const), duration: fc.constantFrom(0, 50, 150, 900, 5_000) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constantFrom(
        ...([
          'bookmark',
          'endStreams',
          'breakStreams',
          'breakStreams',
          'compact',
          'addHandler',
          'removeHandler',
        ] as const),
      ),
    }),
  },
);

/** Builds its own view of the objects from the calls alone, and refuses a call that does not match it. */
class Replay implements InformerHandler<ConfigMap> {
  readonly view = new Map<string, DeepReadonly<ConfigMap>>();
  registration: Registration | undefined;

  onAdd({ object }: InformerAddEvent<ConfigMap>): void {
    this.#refuseUnless(!this.view.has(object.metadata.name), 'added twice');
    this.view.set(object.metadata.name, object);
  }

  onUpdate({ oldMetadata, object }: InformerUpdateEvent<ConfigMap>): void {
    const known = this.view.get(object.metadata.name);
    this.#refuseUnless(
      known?.metadata.resourceVersion === oldMetadata.resourceVersion,
      'update does not start from the known state',
    );
    this.#refuseUnless(known?.metadata.uid === object.metadata.uid, 'update to another object');
    this.view.set(object.metadata.name, object);
  }

  onDelete({ metadata: { name, uid } }: InformerDeleteEvent<ConfigMap>): void {
    this.#refuseUnless(this.view.get(name)?.metadata.uid === uid, 'deleted unseen');
    this.view.delete(name);
  }

  get versions(): string[] {
    return versions(this.view.values());
  }

  #refuseUnless(condition: boolean, complaint: string): void {
    if (!condition) this.complaints.push(complaint);
  }

  readonly complaints: string[] = [];
}

function versions(objects: Iterable<DeepReadonly<ConfigMap>>): string[] {
  return Array.from(objects, ({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`).sort();
}

describe('an informer', () => {
  it('F-1, F-5, F-10, F-21: converges to the state of the server, and so does every handler, whatever happens in between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(action, { maxLength: 60, size: 'max' }), async (watchList, actions) => {
        const clock = new VirtualClock();
        const server = new InMemoryServer({ watchList, clock });
        const informer = new SharedInformer<ConfigMap>({
          listerWatcher: server,
          store: { kind: ConfigMap, freeze: true },
          listSlots: new ListSlots({ clock }),
          clock,
          logger: silentLogger,
          random: () => 0,
        });
        const replays: Replay[] = [];
        const addHandler = () => {
          const replay = new Replay();
          replay.registration = informer.addHandler(replay);
          replays.push(replay);
        };
        addHandler();
        const stop = new AbortController();
        const run = informer.run(stop.signal);
        for (const action of actions) {
          switch (action.type) {
            case 'put':
            case 'delete':
              server[action.type](action.name);
              break;
            case 'wait':
              await clock.advance(action.duration);
              break;
            case 'addHandler':
              addHandler();
              break;
            case 'removeHandler':
              replays.pop()?.registration?.remove();
              break;
            default:
              server[action.type]();
          }
        }
        addHandler();
        await clock.advance(60_000);
        const expected = versions(server.objects);
        // On a busy machine, work takes several turns of the event loop, and waits may begin after time has stopped.
        const isComplete = ({ versions, registration }: Replay) =>
          registration?.hasSynced === true && versions.join() === expected.join();
        const isCurrent = () => versions(informer.store.list()).join() === expected.join();
        for (let turn = 0; turn < 10_000 && !(isCurrent() && replays.every(isComplete)); turn++) {
          await clock.advance(1_000);
        }

        expect(versions(informer.store.list())).toEqual(expected);
        for (const replay of replays) {
          expect(replay.complaints).toEqual([]);
          expect(replay.versions).toEqual(expected);
          expect(replay.registration?.hasSynced).toBe(true);
        }
        stop.abort();
        await run;
        expect(clock.pendingTimers).toBe(0);
      }),
      { numRuns: 1_000 },
    );
  });
});
