import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, JsonObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { child } from '../defaulting/table.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { APP_ARMOR } from '../validation/pod-annotations.ts';
import { appArmorErrors } from '../validation/security-context.ts';

const DEPRECATED = 'deprecated since v1.30; use the "appArmorProfile" field instead';

/** Copies the profiles in annotations of a new Pod to its containers (upstream: `applyAppArmorVersionSkew`). */
export function copyAppArmorProfiles({ metadata, spec }: ApiObject, warn?: (text: string) => void): void {
  if (valueAt(spec, 'os.name') === 'windows') return;
  const ofPod = valueAt(spec, 'securityContext.appArmorProfile');
  for (const list of ['initContainers', 'containers']) {
    for (const container of listAt(spec, list)) {
      const name = `${APP_ARMOR}${scalarText(valueAt(container, 'name'))}`;
      const annotation = metadata.annotations?.[name];
      if (annotation === undefined || valueAt(container, 'securityContext.appArmorProfile') !== undefined) continue;
      const profile = profileOf(annotation);
      if (profile && isDeepStrictEqual(profile, ofPod)) continue;
      if (profile) child(container as JsonObject, 'securityContext')['appArmorProfile'] = profile;
      warn?.(`metadata.annotations[${name}]: ${DEPRECATED}`);
    }
  }
}

/** Returns the profile that an annotation stands for; `undefined` if it is not valid. */
function profileOf(annotation: string): object | undefined {
  if (annotation === 'unconfined') return { type: 'Unconfined' };
  if (annotation === 'runtime/default') return { type: 'RuntimeDefault' };
  if (!annotation.startsWith('localhost/')) return undefined;
  const profile = { type: 'Localhost', localhostProfile: annotation.slice('localhost/'.length) };
  return appArmorErrors('', profile).length === 0 ? profile : undefined;
}
