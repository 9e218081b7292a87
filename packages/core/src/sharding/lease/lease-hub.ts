import type { Cache, CallOptions, Client, Clock, DeepReadonly } from '@mcr/client';
import { isAlreadyExists, isApiError, isConflict, isForbidden, isNotFound, isTransportError, Lease } from '@mcr/client';
import { microTime } from '../../objects/time/micro-time.ts';
import type { HubAnswer, HubRequest, HubSnapshot } from '../membership/hub-request.ts';
import type { MemberLease } from '../membership/member-record.ts';
import type { ShardHub } from '../shard-hub.ts';
import { evictionTime, DEFAULT_RULES } from '../membership/rules.ts';
import type { ShardGroup } from './group.ts';
import { GROUP_LABEL, MEMBER_ANNOTATION, PLAN_ANNOTATION, planLeaseName } from './group.ts';
import { isMemberLease, memberLeaseName, readMemberLease, writeMemberLease } from './member-lease.ts';
import { PlanAdmission } from './plan-admission.ts';
import { writePlanLease } from './plan-lease.ts';

export interface LeaseHubOptions {
  readonly group: ShardGroup;
  /** Reads from and writes to the API server, without a cache and without a fence. */
  readonly client: Pick<Client, 'list' | 'create' | 'update' | 'delete'>;
  /** Notices changes. */
  readonly cache: Pick<Cache, 'subscribe'>;
  readonly clock: Clock;
  /** Deadline of each request, in milliseconds. */
  readonly timeout: number;
  /** Time without a renewal after which a replica of another program counts as crashed, in milliseconds. Default: 15,000. */
  readonly patience?: number;
}

/** Delay after which a watch that could not be started is tried again, in milliseconds. */
const FOLLOW_RETRY = 10_000;

/** The Leases of a group: one for the plan, and one for each member. */
export class LeaseHub implements ShardHub {
  readonly #options: LeaseHubOptions;
  /** The Leases of members as last read, because an eviction writes a whole Lease. */
  readonly #leases = new Map<string, DeepReadonly<Lease>>();
  /** Uids of the Leases that this replica writes, by name. */
  readonly #uids = new Map<string, string | undefined>();
  /** A Lease that could not be created because it exists, and that no list has shown since. */
  #hidden: string | undefined;
  readonly #admission: PlanAdmission;

  constructor(options: LeaseHubOptions) {
    this.#options = options;
    const { group, clock, patience = evictionTime(DEFAULT_RULES) } = options;
    this.#admission = new PlanAdmission({ group, clock, patience });
  }

  async perform(request: HubRequest, { signal }: { readonly signal: AbortSignal }): Promise<HubAnswer> {
    const { timeout } = this.#options;
    try {
      // The membership retries by itself, after it has read again.
      return await this.#perform(request, { signal, timeout, retry: 'never' });
    } catch (error) {
      if (isLostRace(request, error) && !this.#isHidden(request)) return { type: 'conflict' };
      return { type: 'failed', error: this.#explained(request, error) };
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
        const { plan, resourceVersion } = request;
        const lease = writePlanLease(plan, { group, resourceVersion, controllers: this.#admission.controllers });
        return this.#written(await this.#put(lease, resourceVersion, call));
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
    const { name } = lease.metadata;
    const uid = this.#uids.get(name);
    // Known before the answer: if that is lost, a list shows the Lease.
    this.#uids.set(name, uid);
    // An API server creates a Lease that does not exist, also if the update has a resource version, but not with a uid.
    const written =
      resourceVersion === undefined
        ? await client.create(Lease, lease, call)
        : await client.update(
            Lease,
            { ...lease, metadata: { ...lease.metadata, ...(uid !== undefined && { uid }) } },
            call,
          );
    this.#uids.set(name, written.metadata.uid);
    return written;
  }

  #written({ metadata }: DeepReadonly<Lease>): HubAnswer {
    return { type: 'written', resourceVersion: metadata.resourceVersion };
  }

  #snapshotOf(leases: readonly DeepReadonly<Lease>[]): HubSnapshot {
    const { group } = this.#options;
    this.#leases.clear();
    if (leases.some(({ metadata }) => metadata.name === this.#hidden)) this.#hidden = undefined;
    let planLease: DeepReadonly<Lease> | undefined;
    const members = new Map<string, MemberLease>();
    for (const lease of leases) {
      const { name, uid } = lease.metadata;
      if (name === planLeaseName(group) || this.#uids.has(name)) this.#uids.set(name, uid);
      if (name === planLeaseName(group)) {
        planLease = lease;
        continue;
      }
      if (!isMemberLease(lease, group)) continue;
      const member = readMemberLease(lease, group);
      members.set(member.name, member);
      this.#leases.set(member.name, lease);
    }
    const plan = this.#admission.read(planLease, members);
    return { members, ...(plan && { plan }) };
  }

  /** Whether the request creates a Lease that exists, although a list after the first attempt did not show it. */
  #isHidden(request: HubRequest): boolean {
    if (verbOf(request) !== 'create') return false;
    const name = this.#nameOf(request);
    const isHidden = this.#hidden === name;
    this.#hidden = name;
    return isHidden;
  }

  #nameOf(request: HubRequest): string | undefined {
    const { group } = this.#options;
    if (request.type === 'write plan') return planLeaseName(group);
    return request.type === 'renew' ? memberLeaseName(group, request.record.name) : undefined;
  }

  #explained(request: HubRequest, error: unknown): Error {
    const { namespace, name: group } = this.#options.group;
    const verb = verbOf(request);
    if (isAlreadyExists(error)) {
      return new Error(
        `sharding: lease ${namespace}/${this.#nameOf(request)} exists without the label ${GROUP_LABEL}=${group}: ` +
          'delete it, or choose another sharding.name',
        { cause: error },
      );
    }
    if (verb === 'create' && isNotFound(error)) {
      return new Error(
        `sharding: namespace ${namespace} was not found: create it, or set sharding.namespace: ${error.message}`,
        { cause: error },
      );
    }
    if (isForbidden(error)) {
      return new Error(
        `sharding: this replica may not ${verb} leases in namespace ${namespace}: ` +
          `allow "list", "watch", "create", "update" and "delete" on "leases" (coordination.k8s.io) there: ${error.message}`,
        { cause: error },
      );
    }
    if (isTransportError(error)) return new Error(`the hub does not answer: ${error.message}`, { cause: error });
    if (isApiError(error)) {
      const problem = `the hub failed to ${verb} leases in namespace ${namespace}`;
      return new Error(`${problem}: ${error.message}`, { cause: error });
    }
    return error instanceof Error ? error : new Error(String(error));
  }

  #now(): string {
    return microTime(this.#options.clock.wallTime());
  }
}

/**
 * Whether a write failed because another one came first. The membership then reads and decides again at once, so an error
 * that would come again is not one of them: a Lease cannot be created in a namespace that does not exist.
 */
function isLostRace(request: HubRequest, error: unknown): boolean {
  if (verbOf(request) === 'create') return isAlreadyExists(error);
  return request.type !== 'read' && (isConflict(error) || isNotFound(error));
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
