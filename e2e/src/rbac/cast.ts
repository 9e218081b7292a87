import type { ClusterConfig, Provider } from '@mcr/core';
import type { Ground } from './ground.ts';
import type { Permission, RoleManifest } from './manifest.ts';
import { permissionsOf, withoutPermission } from './manifest.ts';
import { asServiceAccount, createServiceAccount } from './service-account.ts';
import { Watcher } from './watcher.ts';

/** The roles of a manager in the hub and in members. */
export interface Roles {
  readonly hub: readonly RoleManifest[];
  readonly member: readonly RoleManifest[];
}

export interface CastOptions {
  readonly roles: Roles;
  readonly hub: Ground;
  /** The cluster in which a permission of a member is missing. */
  readonly member?: Ground;
  /** @param configure gives a provider the watcher's own credentials for each member. */
  readonly createProvider: (configure: (config: ClusterConfig) => ClusterConfig) => Provider;
}

/** Returns each permission of the roles once, in the format of {@link grantedTo}. */
export function permissionsOfRoles({ hub, member }: Roles): Permission[] {
  const of = (where: string, roles: readonly RoleManifest[]) =>
    roles.flatMap(permissionsOf).map((permission) => `${where}: ${permission}`);
  return [...new Set([...of('hub', hub), ...of('member', member)])];
}

/**
 * Managers of the same fleet, each with a ServiceAccount of its own. Two have all permissions: one uses API servers
 * with WatchList, the other without. For each permission, one manager lacks only that permission.
 */
export class Cast {
  /** Has all permissions, and uses API servers without WatchList. */
  readonly complete: Watcher;
  readonly streaming: Watcher;
  readonly lacking: ReadonlyMap<Permission, Watcher>;

  private constructor(complete: Watcher, streaming: Watcher, lacking: ReadonlyMap<Permission, Watcher>) {
    this.complete = complete;
    this.streaming = streaming;
    this.lacking = lacking;
  }

  static async assemble(options: CastOptions): Promise<Cast> {
    const { hub } = options;
    const complete = await engage(options, { name: 'complete', config: hub.withoutWatchList });
    const streaming = await engage(options, { name: 'streaming', config: hub.config });
    const lacking = new Map<Permission, Watcher>();
    for (const lacks of permissionsOfRoles(options.roles)) {
      const name = `lacking-${lacking.size}`;
      lacking.set(lacks, await engage(options, { name, config: hub.withoutWatchList, lacks }));
    }
    return new Cast(complete, streaming, lacking);
  }

  /** Returns the watcher that lacks only this permission. */
  without(permission: Permission): Watcher {
    const watcher = this.lacking.get(permission);
    if (!watcher) throw new Error(`no watcher lacks "${permission}"`);
    return watcher;
  }

  /** Watchers that see every change, including those that cannot record events. */
  get witnesses(): Watcher[] {
    const silent = [...this.lacking].flatMap(([lacks, watcher]) => (/ events\./u.test(lacks) ? [watcher] : []));
    return [this.complete, this.streaming, ...silent];
  }

  async stop(): Promise<void> {
    const all = [this.complete, this.streaming, ...this.lacking.values()];
    await Promise.all(all.map((watcher) => watcher.stop()));
  }
}

interface Part {
  readonly name: string;
  readonly config: ClusterConfig;
  readonly lacks?: Permission;
}

async function engage(
  { roles, hub, member, createProvider }: CastOptions,
  { name, config, lacks }: Part,
): Promise<Watcher> {
  const lacksIn = (where: string) => (lacks?.startsWith(`${where}: `) ? lacks.slice(where.length + 2) : undefined);
  // The Lease is in the namespace of the account.
  const key = { namespace: name, name };
  const inHub = roles.hub.map((role) => withoutPermission(role, lacksIn('hub')));
  await createServiceAccount(hub.admin, key, inHub);
  let configure = (found: ClusterConfig) => found;
  const lacksInMember = lacksIn('member');
  if (member && lacksInMember !== undefined) {
    const inMember = roles.member.map((role) => withoutPermission(role, lacksInMember));
    await createServiceAccount(member.admin, key, inMember);
    const { auth } = await asServiceAccount(member.admin, key, member.config);
    configure = (found) => ({ ...found, ...(auth && { auth }) });
  }
  const account = await asServiceAccount(hub.admin, key, config);
  return Watcher.start({ hub: account, provider: createProvider(configure), namespace: key.namespace });
}
