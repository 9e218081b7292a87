import { expect } from '@jest/globals';
import type { FakeManagerOptions } from '../fake-manager.fixture.ts';
import { FakeManager } from '../fake-manager.fixture.ts';
import type { FakeMember } from '../fake-member.fixture.ts';
import { requestKey } from '../reconcile/request.ts';
import type { ControllerBuilder } from './builder.ts';
import { controllerManagedBy } from './builder.ts';

/** Runs the controller of a test with the clusters that the test engages. */
export class Scene {
  readonly fake: FakeManager;
  readonly seen: string[] = [];
  readonly #abort = new AbortController();
  #ended: Promise<void> | undefined;

  constructor(options?: FakeManagerOptions) {
    this.fake = new FakeManager(options);
  }

  get builder(): ControllerBuilder {
    return controllerManagedBy(this.fake.manager);
  }

  /** Starts the controller. @returns the requests that were reconciled at first. */
  async run(builder: ControllerBuilder, members: Record<string, FakeMember>): Promise<string[]> {
    const controller = await builder.build(async (request) => void this.seen.push(requestKey(request)));
    this.#ended = controller.run(this.#abort.signal);
    for (const [name, member] of Object.entries(members)) {
      await controller.engage(name, member, this.#abort.signal);
    }
    return this.settle();
  }

  /** Returns the requests reconciled since the previous call. */
  async settle(): Promise<string[]> {
    await this.fake.settle();
    return this.seen.splice(0);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#ended;
    expect(this.fake.clock.pendingTimers).toBe(0);
  }
}
