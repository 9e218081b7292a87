import type { FieldError } from '../status.ts';
import { invalidField, requiredField } from '../status.ts';
import type { Change } from './resource-type.ts';

const ANNOTATION = 'api-approved.kubernetes.io';
const FIELD = `metadata.annotations[${ANNOTATION}]`;
const SEE = 'see https://github.com/kubernetes/enhancements/pull/1111';

/** API groups that belong to the Kubernetes community. */
const PROTECTED = /(^|\.)(k8s|kubernetes)\.io$/u;

/**
 * Returns the errors of a definition in a protected group without an approval: the URL of a review, or a reason that
 * starts with `unapproved`. (Upstream: `apihelpers.GetAPIApprovalState` of apiextensions-apiserver.)
 */
export function apiApprovalErrors(group: string, { object, previous }: Change): FieldError[] {
  if (!PROTECTED.test(group)) return [];
  const state = stateOf(object.metadata.annotations);
  // A definition that was stored without approval may be updated.
  if (previous && stateOf(previous.metadata.annotations) === state) return [];
  if (state === 'missing') {
    return [requiredField(FIELD, `protected groups must have approval annotation "${ANNOTATION}", ${SEE}`)];
  }
  if (state === 'approved') return [];
  const why = `protected groups must have approval annotation "${ANNOTATION}" with either a URL or a reason starting with "unapproved", ${SEE}`;
  return [invalidField(FIELD, object.metadata.annotations?.[ANNOTATION], why)];
}

function stateOf(annotations: Readonly<Record<string, string>> | undefined): 'approved' | 'invalid' | 'missing' {
  const value = annotations?.[ANNOTATION];
  if (!value) return 'missing';
  return value.startsWith('unapproved') || /^[a-z][a-z0-9+.-]*:\/\/[^/]/iu.test(value) ? 'approved' : 'invalid';
}
