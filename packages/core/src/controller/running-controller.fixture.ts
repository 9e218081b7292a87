import { ConfigMap } from '@mcr/client';
import { enqueueRequestForObject } from './handler/enqueue-object.ts';
import type { Reconciler } from './reconcile/reconciler.ts';
import { kindSource } from './source/kind-source.ts';
import type { Controller } from './controller.ts';
import type { CreateControllerOptions } from './create-controller.ts';
import { createController } from './create-controller.ts';
import type { FakeManagerOptions } from './fake-manager.fixture.ts';
import { FakeManager } from './fake-manager.fixture.ts';
import { FakeMember } from './fake-member.fixture.ts';
import type { ReconcileRequest } from './reconcile/request.ts';

/** A controller of ConfigMaps for tests, running in virtual time until {@link stop}. */
export class RunningController {
  readonly fake: FakeManager;
  readonly controller: Controller;
  /** Names of the reconciled objects as `<cluster>/<name>`, in order. */
  readonly seen: string[] = [];
  /** Settles when the controller has stopped. */
  readonly ended: Promise<void>;
  readonly #abort = new AbortController();

  constructor(
    options: Partial<CreateControllerOptions<ReconcileRequest>> = {},
    managerOptions: FakeManagerOptions = {},
  ) {
    this.fake = new FakeManager(managerOptions);
    const { reconciler, ...rest } = options;
    const inner: Reconciler = reconciler ?? (async () => undefined);
    this.controller = createController('test', this.fake.manager, {
      ...rest,
      reconciler: (request, context) => {
        this.seen.push(`${request.clusterName}/${request.name}`);
        return typeof inner === 'function' ? inner(request, context) : inner.reconcile(request, context);
      },
    });
    void this.controller.watch(kindSource(ConfigMap, enqueueRequestForObject()));
    this.ended = this.controller.run(this.#abort.signal);
    this.ended.catch(() => undefined);
  }

  /** Engages a member whose ConfigMaps have synced and have the given names. `leave` ends the engagement. */
  async engage(clusterName: string, ...names: readonly string[]): Promise<FakeMember & { readonly leave: () => void }> {
    const member = FakeMember.synced(ConfigMap);
    for (const name of names) member.informer(ConfigMap).set({ namespace: 'default', name });
    return Object.assign(member, { leave: await this.engageMember(clusterName, member) });
  }

  /** Engages a member of the test. @returns a function that ends the engagement. */
  async engageMember(clusterName: string, member: FakeMember): Promise<() => void> {
    const engagement = new AbortController();
    this.fake.clusters.set(clusterName, member);
    await this.controller.engage(clusterName, member, engagement.signal);
    await this.fake.settle();
    return () => engagement.abort();
  }

  /** Aborts when the controller is stopped. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  advance(ms: number): Promise<void> {
    return this.fake.clock.advance(ms);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.ended;
  }
}
