import type { Cache, CallOptions, Client, Clock, DeepReadonly } from '@mcr/client';
import { isAlreadyExists, isConflict, isForbidden, isNotFound, Lease } from '@mcr/client';
import { microTime } from '../../objects/time/micro-time.ts';
import type { HubAnswer, HubRequest, HubSnapshot } from '../membership/hub-request.ts';
import type { MemberLease, PlanLease } from '../membership/member-record.ts';
import type { ShardHub } from '../shard-hub.ts';
import type { ShardGroup } from './group.ts';
import { GROUP_LABEL, MEMBER_ANNOTATION, PLAN_ANNOTATION } from './group.ts';
import { memberLeaseName, readMemberLease, writeMemberLease } from './member-lease.ts';
import { readPlanLease, writePlanLease } from './plan-lease.ts';

export interface LeaseHubOptions {
  readonly group: ShardGroup;
  /** Reads from and writes to the API server, without a cache and without a fence. */
  readonly client: Pick<Client, 'list' | 'create' | 'update' | 'delete'>;
  /** Notices changes. */
  readonly cache: Pick<Cache, 'subscribe'>;
  readonly clock: Clock;
  /** Deadline of each request, in milliseconds. */
  readonly timeout: number;
}

/** Delay after which a watch that could not be started is tried again, in milliseconds. */
const FOLLOW_RETRY = 10_000;

/** The Leases of a group: one for the plan, and one for each member. */
export class LeaseHub implements ShardHub {
  readonly #options: LeaseHubOptions;
  /** The Leases of members as last read, because an eviction writes a whole Lease. */
  readonly #leases = new Map<string, DeepReadonly<Lease>>();

  constructor(options: LeaseHubOptions) {
    this.#options = options;
  }

  async perform(request: HubRequest, { signal }: { readonly signal: AbortSignal }): Promise<HubAnswer> {
    const { timeout } = this.#options;
    try {
      // The membership retries by itself, after it has read again.
      return await this.#perform(request, { signal, timeout, retry: 'never' });
    } catch (error) {
      if (request.type !== 'read' && (isConflict(error) || isNotFound(error) || isAlreadyExists(error)))
        return { type: 'conflict' };
      return { type: 'failed', error: this.#explained(request, error as Error) };
    }
  }

  follow(onChange: () => void, signal: AbortSignal): void {
    const { cache, clock, group } = this.#options;
    const start = async (): Promise<void> => {
      const subscription = await cache.subscribe(
        Lease,
        {
          onAdd: () => onChange(),
          onUpdate: ({ object, oldObject }) => {
            if (contentOf(object) !== contentOf(oldObject)) onChange();
          },
          onDelete: () => onChange(),
        },
        { namespaces: [group.namespace], labelSelector: `${GROUP_LABEL}=${group.name}` },
      );
      if (signal.aborted) subscription.remove();
      else signal.addEventListener('abort', () => subscription.remove(), { once: true });
    };
    const tryToStart = (): void => {
      start().catch(() => {
        if (signal.aborted) return;
        const timer = clock.schedule(FOLLOW_RETRY, () => {
          signal.removeEventListener('abort', cancel);
          tryToStart();
        });
        const cancel = () => timer.cancel();
        signal.addEventListener('abort', cancel, { once: true });
      });
    };
    tryToStart();
  }

  async #perform(request: HubRequest, call: CallOptions): Promise<HubAnswer> {
    const { client, group } = this.#options;
    const { namespace } = group;
    switch (request.type) {
      case 'read': {
        const list = await client.list(Lease, { ...call, namespace, labelSelector: `${GROUP_LABEL}=${group.name}` });
        return { type: 'snapshot', snapshot: this.#snapshotOf(list.items) };
      }
      case 'write plan': {
        const lease = writePlanLease(request.plan, group, request.resourceVersion);
        return this.#written(await this.#put(lease, request.resourceVersion, call));
      }
      case 'renew':
      case 'release': {
        const { record, resourceVersion } = request;
        const isOut = request.type === 'release';
        const lease = writeMemberLease(record, { group, resourceVersion, isOut, renewTime: this.#now() });
        return this.#written(await this.#put(lease, resourceVersion, call));
      }
      case 'evict': {
        const lease = this.#leases.get(request.name);
        if (lease?.metadata.resourceVersion !== request.resourceVersion) return { type: 'conflict' };
        const released = { ...lease, spec: { ...lease.spec, holderIdentity: '' } };
        return this.#written(await client.update(Lease, released, call));
      }
      case 'forget': {
        const { name, resourceVersion } = request;
        const key = { namespace, name: memberLeaseName(group, name) };
        await client.delete(Lease, key, { ...call, preconditions: { resourceVersion } });
        return { type: 'written', resourceVersion };
      }
    }
  }

  async #put(
    lease: ReturnType<typeof writePlanLease> | ReturnType<typeof writeMemberLease>,
    resourceVersion: string | undefined,
    call: CallOptions,
  ): Promise<DeepReadonly<Lease>> {
    const { client } = this.#options;
    return resourceVersion === undefined ? client.create(Lease, lease, call) : client.update(Lease, lease, call);
  }

  #written({ metadata }: DeepReadonly<Lease>): HubAnswer {
    return { type: 'written', resourceVersion: metadata.resourceVersion };
  }

  #snapshotOf(leases: readonly DeepReadonly<Lease>[]): HubSnapshot {
    const { group } = this.#options;
    this.#leases.clear();
    let plan: PlanLease | undefined;
    const members = new Map<string, MemberLease>();
    for (const lease of leases) {
      if (lease.metadata.name === group.name) {
        plan = readPlanLease(lease, group);
        continue;
      }
      const member = readMemberLease(lease, group);
      members.set(member.name, member);
      this.#leases.set(member.name, lease);
    }
    return { members, ...(plan && { plan }) };
  }

  #explained(request: HubRequest, error: Error): Error {
    if (!isForbidden(error)) return error;
    const { namespace } = this.#options.group;
    const verb = verbOf(request);
    return new Error(
      `sharding: this replica may not ${verb} leases in namespace ${namespace}: ` +
        `allow "list", "watch", "get", "create", "update" and "delete" on "leases" (coordination.k8s.io) there: ${error.message}`,
      { cause: error },
    );
  }

  #now(): string {
    return microTime(this.#options.clock.wallTime());
  }
}

/** Returns the part of a Lease that does not change with each renewal. */
function contentOf({ metadata, spec }: DeepReadonly<Lease>): string {
  const { annotations } = metadata;
  return `${spec?.holderIdentity}\n${annotations?.[PLAN_ANNOTATION]}\n${annotations?.[MEMBER_ANNOTATION]}`;
}

function verbOf(request: HubRequest): string {
  if (request.type === 'read') return 'list';
  if (request.type === 'forget') return 'delete';
  return 'resourceVersion' in request && request.resourceVersion === undefined ? 'create' : 'update';
}
