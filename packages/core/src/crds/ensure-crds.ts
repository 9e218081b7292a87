import type { CrdManifest, DeepReadonly } from '@mcr/client';
import { parseOptions } from '@mcr/client';
import * as z from 'zod';
import type { EngageOptions } from '../controller/builder/engage-options.ts';
import { clusterFilterOf, engageOptionsSchema, selectedPermissions } from '../controller/builder/engage-options.ts';
import type { Manager } from '../manager/manager.ts';
import { checkDefinitions } from './check-definitions.ts';
import { definitionUpkeep } from './cluster-definitions.ts';
import { crdPermissions } from './crd-permissions.ts';
import { afterConversion } from './conversion-state.ts';
import type { LossyChange } from './definition-state.ts';

/** Options of {@link ensureCrds}. */
export interface EnsureCrdsOptions {
  /** Whether to install and update the CRDs. Default: false, to check them only. */
  readonly install?: boolean;
  /**
   * Revision of the CRDs: an integer that grows with each change of them. Required with {@link install}. A cluster
   * with a newer revision is only checked, so that an old replica does not undo a rolling update.
   */
  readonly revision?: number;
  /** Selects the clusters. Default: the clusters of the provider, or the local cluster if there is no provider. */
  readonly clusters?: EngageOptions;
  /**
   * Changes to apply although they may lose data: `narrowedSchema`, a field was removed or accepts fewer values;
   * `removedStoredVersion`, objects may be stored in a version that was removed. Default: none.
   */
  readonly allow?: readonly LossyChange[];
  /**
   * Whether to store the objects of earlier storage versions again, and to remove these versions from
   * `status.storedVersions`. An object whose update is refused keeps them, and is reported. Needs {@link install}. Default: false.
   */
  readonly migrateStorage?: boolean;
  /** The field manager of the CRDs. Default: `mcr-crds`. */
  readonly fieldManager?: string;
  /** Whether to take over fields that other field managers own. Default: false, which reports a conflict. */
  readonly force?: boolean;
  /** Time that an API server has to serve a CRD that it accepted, in milliseconds. Default: 30,000. */
  readonly timeout?: number;
  /** Time between two checks of a cluster, in milliseconds, with a jitter of 10 %. Default: 600,000. */
  readonly checkInterval?: number;
}

const DAY = 86_400_000;
const DEFAULTS = { timeout: 30_000, checkInterval: 600_000, fieldManager: 'mcr-crds' };

const flag = z.boolean('expected a boolean').optional();
const milliseconds = (least: number) =>
  z
    .number('expected milliseconds')
    .min(least, `expected at least ${least} ms`)
    .max(DAY, 'expected at most a day')
    .optional();
const schema = z
  .strictObject({
    install: flag,
    revision: z.int('expected an integer').min(0, 'expected 0 or more').optional(),
    clusters: engageOptionsSchema.optional(),
    allow: z.array(z.enum(['narrowedSchema', 'removedStoredVersion'])).optional(),
    migrateStorage: flag,
    fieldManager: z
      .string('expected a name')
      .min(1, 'expected a name')
      .max(128, 'expected at most 128 characters')
      .optional(),
    force: flag,
    timeout: milliseconds(1),
    checkInterval: milliseconds(1_000),
  } satisfies Record<keyof EnsureCrdsOptions, z.ZodType>)
  .refine(({ install, revision }) => !install || revision !== undefined, {
    path: ['revision'],
    message: 'required with "install": pass an integer that grows with each change of the CRDs',
  })
  .refine(({ install, migrateStorage }) => !migrateStorage || install, {
    path: ['migrateStorage'],
    message: 'has no effect without "install": set it, too',
  });

/**
 * Checks that every selected cluster serves the CRDs, now and regularly. With `install: true`, installs and updates
 * them. Problems of a cluster are shown in its fleet status and logged, are retried with backoff (1 s to 5 min), and do not
 * affect other clusters. Needs `get` on these CRDs in each cluster; with `install`, `create` and `patch`; with
 * `migrateStorage`, `patch` on their status, and `get`, `list` and `update` on the objects.
 *
 * @example
 * await ensureCrds(manager, [crdOf(Widget)], { install: true, revision: 3 });
 * @throws {TypeError} for an invalid CRD or option.
 */
export async function ensureCrds(
  manager: Manager,
  definitions: readonly DeepReadonly<CrdManifest>[],
  options: EnsureCrdsOptions = {},
): Promise<void> {
  parseOptions('ensureCrds', schema, options);
  checkDefinitions(definitions);
  const { clusters = {}, ...rest } = options;
  manager.permissions.require('ensureCrds', selectedPermissions(clusters, manager, crdPermissions(definitions, rest)));
  await manager.add(
    definitionUpkeep({
      manager,
      // The caller may change them later.
      definitions: definitions.map(afterConversion),
      isSelected: clusterFilterOf(clusters, manager),
      install: false,
      allow: [],
      migrateStorage: false,
      force: false,
      ...DEFAULTS,
      ...rest,
    }),
  );
}
