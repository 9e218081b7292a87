import { ruleViolations } from '../rules/rule-validator.ts';
import { findingResourceErrors } from '../schema/embedded-resource.ts';
import { listTypeErrors } from '../schema/list-type-errors.ts';
import type { Schema } from '../schema/schema.ts';
import { findingSchemaErrors } from '../schema/validate.ts';
import type { FieldError } from '../status.ts';
import { invalidField } from '../status.ts';
import type { Paused } from '../turn.ts';
import { Turn } from '../turn.ts';
import { finalizerWarnings } from './finalizer-warnings.ts';
import type { Change, ScalePaths } from './resource-type.ts';
import { scaleErrors } from './scale-errors.ts';

/** Errors after which the rules of a schema are not evaluated. */
const BLOCKING: ReadonlySet<FieldError['reason']> = new Set([
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
  'FieldValueNotSupported',
]);

const NOT_CHECKED: FieldError = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

/** A served version of a custom kind, for validation. */
export interface JudgedVersion {
  readonly kind: string;
  /** Schema as declared, with its rules. */
  readonly schema: Schema;
  /** Fields that the scale subresource shows. */
  readonly scale: ScalePaths | undefined;
}

/**
 * Returns the errors in a custom object: those of its metadata, and those by its schema. An update may keep invalid values that it does not change.
 * (Upstream: `pkg/registry/customresource/strategy.go` of apiextensions-apiserver.)
 */
export function* customObjectErrors({ kind, schema, scale }: JudgedVersion, change: Change): Paused<FieldError[]> {
  const { object, previous, subresource, warn, metadataErrors = [] } = change;
  // A write of the status is not judged by the rest of the object. Only rules see all of it.
  const isStatus = subresource === 'status';
  const before = previous && { value: previous };
  const turn = new Turn();
  const judged = isStatus
    ? yield* statusErrors(schema, change, turn)
    : (yield* findingSchemaErrors(schema, object, { before }, turn)).map(withField);
  const wasRepeated = previous !== undefined && (yield* listTypeErrors(schema, previous, turn)).length > 0;
  const repeated = wasRepeated ? [] : yield* listTypeErrors(schema, object, turn);
  const isOther = object.kind !== kind;
  const own = isOther
    ? [invalidField('kind', object.kind, `must be ${kind}`)]
    : [...metadataErrors, ...judged, ...scaleErrors(scale, change)];
  const errors = [
    // An update checks the metadata before the kind.
    ...(isOther && previous ? metadataErrors : []),
    ...own,
    ...(isStatus ? [] : yield* findingResourceErrors({ schema, path: '' }, object, turn)),
    ...repeated,
  ];
  const rules = { value: object, before, path: '', isResource: true, warn };
  if (!errors.some(({ reason }) => BLOCKING.has(reason))) {
    const all = [...errors, ...(yield* ruleViolations(schema, rules))];
    if (all.length === 0) {
      for (const warning of finalizerWarnings(change)) warn?.(warning);
    }
    return all;
  }
  return hasRules(schema) ? [...errors, NOT_CHECKED] : errors;
}

/** Returns the errors in a status, which is judged as an object of its own: messages name fields relative to it. */
function* statusErrors({ properties }: Schema, { object, previous }: Change, turn: Turn): Paused<FieldError[]> {
  const { status } = object;
  const schema = properties?.['status'];
  if (status === undefined || !schema) return [];
  const earlier = previous?.['status'];
  const before = earlier === undefined ? undefined : { value: earlier };
  const errors = yield* findingSchemaErrors(schema, status, { before }, turn);
  return errors.map((error) => ({ ...error, field: error.field === '' ? 'status' : `status.${error.field}` }));
}

/** Go prints the path of the whole object as `<nil>`. */
function withField(error: FieldError): FieldError {
  return error.field === '' ? { ...error, field: '<nil>' } : error;
}

const known = new WeakMap<Schema, boolean>();

function hasRules(schema: Schema): boolean {
  const cached = known.get(schema);
  if (cached !== undefined) return cached;
  const found = JSON.stringify(schema).includes('"x-kubernetes-validations":[{');
  known.set(schema, found);
  return found;
}
