import type { CustomResourceDefinition } from './builtin.ts';
import type { Draft } from './object.ts';

/** A CustomResourceDefinition to create or apply. `crdOf` of `@mcr/kinds` returns one, and `ensureCrds` of `@mcr/core` takes them. */
export type CrdManifest = Draft<CustomResourceDefinition> &
  Pick<CustomResourceDefinition, 'apiVersion' | 'kind'> & { metadata: { name: string } };

/**
 * Annotation of a CustomResourceDefinition with the versions that `ensureCrds` serves when the definition has a conversion webhook,
 * such as `v1,v2`. `crdOf` sets it with `conversion: 'external'`.
 */
export const CONVERTED_VERSIONS_ANNOTATION = 'mcr.dev/converted-versions';

/** A rule in CEL that the server evaluates (API reference: `ValidationRule`). */
export interface CelRule {
  /** The expression. `self` is the value that has the rule, `oldSelf` its previous value. */
  readonly rule: string;
  /** Error message, at most 2,048 bytes. Required if the rule has line breaks. */
  readonly message?: string;
  /** Expression that returns the error message. */
  readonly messageExpression?: string;
  readonly reason?: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';
  /** Path of the field that the error names, relative to the value, such as `.replicas`. */
  readonly fieldPath?: string;
  /** Whether a rule with `oldSelf` also applies when there is no previous value. */
  readonly optionalOldSelf?: boolean;
}
