import type { CrdManifest } from '@mcr/client';
import { kindText } from '@mcr/client';
import { beforeConversion } from '../crds/conversion-state.ts';
import { storageVersionOf } from '../crds/definition-state.ts';
import type { InitialObject } from './in-memory-server.ts';

/** The definitions that a server without conversion webhooks serves. */
export interface ServedDefinitions {
  readonly crds: readonly InitialObject[];
  /** Errors for the versions that it leaves out, by the text of the kind. */
  readonly refusals: ReadonlyMap<string, string>;
}

/**
 * Leaves out the versions of definitions that need a conversion which something else installs, as `ensureCrds` does:
 * the server would drop the fields that the schema of the other version lacks.
 */
export function withoutUnconverted(crds: readonly InitialObject[]): ServedDefinitions {
  const refusals = new Map<string, string>();
  const served = crds.map((crd) => {
    // The server reports what is not a definition.
    if (!isDefinition(crd)) return crd;
    const reduced = beforeConversion(crd, undefined);
    if (!reduced) return crd;
    const { group, names, versions } = crd.spec;
    const storage = storageVersionOf(crd);
    for (const { name } of versions) {
      if (name === storage) continue;
      const version = kindText({ apiVersion: `${group}/${name}`, kind: names.kind });
      refusals.set(
        version,
        `${version} is not served in memory, because ${crd.metadata.name} has several versions and no spec.conversion: ` +
          `use ${storage}, and test the conversion with checkConversions of @mcr/kinds/testing; ` +
          'if the versions need no conversion, set spec.conversion to { strategy: "None" }',
      );
    }
    return reduced;
  });
  return { crds: served, refusals };
}

function isDefinition(crd: InitialObject): crd is InitialObject & CrdManifest {
  const { spec } = Object(crd) as { readonly spec?: unknown };
  const { versions, names } = Object(spec) as Partial<CrdManifest['spec']>;
  return Array.isArray(versions) && versions.every((version) => typeof version === 'object') && names !== undefined;
}
