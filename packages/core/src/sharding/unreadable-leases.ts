import type { Logger } from '@mcr/client';
import type { HubSnapshot } from './membership/hub-request.ts';
import type { MemberName } from './plan/plan.ts';

/** Logs the plan, and the Leases of other members, that cannot be read: each once for the same reason. */
export class UnreadableLeases {
  readonly #log: Logger;
  #plan: string | undefined;
  #members: ReadonlyMap<MemberName, string> = new Map();

  constructor(logger: Logger) {
    this.#log = logger;
  }

  /** @param own name of this member, which reports its own Lease in another way. */
  note({ plan, members }: HubSnapshot, own: MemberName): void {
    const reason = plan?.type === 'unreadable' ? plan.reason : undefined;
    if (reason !== undefined && reason !== this.#plan)
      this.#log.warn('the plan cannot be read, writing a new one', { reason });
    this.#plan = reason;
    const unreadable = new Map<MemberName, string>();
    for (const lease of members.values()) {
      if (lease.type !== 'unreadable' || lease.name === own) continue;
      unreadable.set(lease.name, lease.reason);
      if (this.#members.get(lease.name) === lease.reason) continue;
      this.#log.warn('the Lease of a member cannot be read, evicting it if it is not renewed', {
        member: lease.name,
        reason: lease.reason,
      });
    }
    this.#members = unreadable;
  }
}
