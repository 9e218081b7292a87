import { kindText, type Kind } from './kind.ts';
import type { KubernetesObject } from './object.ts';

/**
 * Refuses a metadata-only kind for writes of whole objects: the server would remove all fields that the object lacks.
 * (Upstream: controller-runtime's metadata client: "did you mean to patch?")
 *
 * @throws {TypeError} if `kind` is metadata-only.
 */
export function checkWholeKind(kind: Kind<KubernetesObject>): void {
  if (!kind.metadataOnly) return;
  throw new TypeError(
    `${kindText(kind)}: expected a whole object to create or update, found a kind with metadata only: ` +
      'use patch or apply, because the server would remove the other fields of the object',
  );
}
