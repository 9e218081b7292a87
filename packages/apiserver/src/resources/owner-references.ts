import type { OwnerReference } from '@mcr/client';
import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';

const FIELD = 'metadata.ownerReferences';

/** Returns the errors in the owners of an object. (Upstream: `ValidateOwnerReferences`.) */
export function ownerFieldErrors(owners: readonly OwnerReference[]): FieldError[] {
  const errors: FieldError[] = [];
  let first: OwnerReference | undefined;
  for (const owner of owners) {
    errors.push(...referenceErrors(owner));
    if (!owner.controller) continue;
    if (first) {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${first.kind}/${first.name} and ${owner.kind}/${owner.name}`;
      errors.push(invalidField(FIELD, owners, detail));
    } else {
      first = owner;
    }
  }
  return errors;
}

function referenceErrors(owner: OwnerReference): FieldError[] {
  const { apiVersion = '', kind } = owner as Partial<OwnerReference>;
  const { group, version } = parsedVersion(apiVersion);
  const errors = version === '' ? [invalidField(`${FIELD}.apiVersion`, apiVersion, 'version must not be empty')] : [];
  for (const field of ['kind', 'name', 'uid'] as const) {
    if (!owner[field]) errors.push(invalidField(`${FIELD}.${field}`, '', 'must not be empty'));
  }
  if (group === '' && version === 'v1' && kind === 'Event') {
    errors.push(invalidField(FIELD, inOrder(owner), '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}

/** A text that is not a version has an empty version. */
function parsedVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const [first = '', second, ...rest] = apiVersion.split('/');
  if (rest.length > 0) return { group: '', version: '' };
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

/** Returns a reference with its fields in the order of the Go type. */
function inOrder({ apiVersion, kind, name, uid, ...rest }: OwnerReference): OwnerReference {
  const { controller, blockOwnerDeletion } = rest;
  return {
    ...{ apiVersion, kind, name, uid },
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  };
}

/**
 * Removes owners that an object has twice, and warns of them. (Upstream: `dedupOwnerReferencesAndAddWarning`.)
 *
 * @param when says that the object was changed by webhooks before. The warnings of patches always say so.
 */
export function removeDuplicateOwners(
  { metadata }: ApiObject,
  warn: ((text: string) => void) | undefined,
  when: '' | ' after mutating admission happens',
): void {
  const kept: OwnerReference[] = [];
  const seen = new Set<string>();
  const duplicates: string[] = [];
  for (const owner of metadata.ownerReferences ?? []) {
    const text = JSON.stringify(inOrder(owner));
    if (seen.has(text)) {
      duplicates.push(owner.uid);
      continue;
    }
    seen.add(text);
    kept.push(owner);
  }
  if (duplicates.length === 0) return;
  metadata.ownerReferences = kept;
  warn?.(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicates.join(', ')}`,
  );
}
