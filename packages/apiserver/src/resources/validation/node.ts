import type { FieldError } from '../../status.ts';
import { duplicateField, forbiddenField, invalidField, requiredField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { labelValueErrors, qualifiedNameErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { legacyBlockErrors, parseBlock } from './ip-address.ts';
import { amountErrors } from './resources.ts';
import { text } from './rules.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const BLOCKS = 'spec.podCIDRs';

/** Validates a Node (upstream: `ValidateNode` and `ValidateNodeUpdate`). */
export function nodeErrors({ object, previous }: Change): FieldError[] {
  const own = [...taintErrors(listAt(object, 'spec.taints')), ...amountsErrors(object), ...blocksErrors(object)];
  const features = featureErrors(listAt(object, 'status.declaredFeatures').map(scalarText));
  // Upstream checks a change as a new object, and again as a change.
  if (!previous) return [...own, ...features];
  return [...own, ...features, ...features, ...addressErrors(object), ...changeErrors(object, previous)];
}

const FEATURE = /^[A-Z][a-zA-Z0-9]*(?:\/[a-zA-Z][a-zA-Z0-9]*)*$/u;
const LONGEST_FEATURE = 253;

function featureErrors(features: readonly string[]): FieldError[] {
  const place = (index: number): string => `status.declaredFeatures[${index}]`;
  return features.flatMap((feature, index) => {
    const why = featureNameError(feature);
    const next = features[index + 1];
    return [
      ...(why === undefined
        ? []
        : [invalidField(place(index), feature, `invalid feature name ${JSON.stringify(feature)}: ${why}`)]),
      ...(feature === next ? [duplicateField(place(index + 1), next)] : []),
      ...(next !== undefined && feature > next
        ? [invalidField(place(index + 1), next, 'list must be sorted alphabetically')]
        : []),
    ];
  });
}

function featureNameError(feature: string): string | undefined {
  if (feature.length > LONGEST_FEATURE) return `must be no more than ${LONGEST_FEATURE} characters`;
  if (FEATURE.test(feature)) return undefined;
  return "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
}

function addressErrors(object: unknown): FieldError[] {
  const seen = new Set<string>();
  return listAt(object, 'status.addresses').flatMap((address, index) => {
    const [type, text_] = ['type', 'address'].map((name) => scalarText(valueAt(address, name)));
    const key = JSON.stringify([type, text_]);
    const isRepeated = seen.has(key);
    seen.add(key);
    return isRepeated ? [duplicateField(`status.addresses[${index}]`, { Type: type, Address: text_ })] : [];
  });
}

/** Upstream names the taints as part of the metadata. */
function taintErrors(taints: readonly unknown[]): FieldError[] {
  const of = (taint: unknown, field: string): string => scalarText(valueAt(taint, field));
  const keys = taints.map((taint) => `${of(taint, 'effect')}/${of(taint, 'key')}`);
  return taints.flatMap((taint, index) => {
    const field = `metadata.taints[${index}]`;
    const [key, value, effect] = ['key', 'value', 'effect'].map((name) => of(taint, name));
    const details = labelValueErrors(value ?? '');
    const shown = { Key: key, Value: value, Effect: effect, TimeAdded: valueAt(taint, 'timeAdded') ?? null };
    const duplicate = duplicateField(field, shown);
    return [
      ...text([`${field}.key`, key], qualifiedNameErrors),
      ...(details.length > 0 ? [invalidField(`${field}.value`, value, details.join(';'))] : []),
      ...effectErrors(`${field}.effect`, effect ?? ''),
      ...(keys.indexOf(keys[index] ?? '') < index
        ? [{ ...duplicate, message: `${duplicate.message}: taints must be unique by key and effect pair` }]
        : []),
    ];
  });
}

function effectErrors(field: string, effect: string): FieldError[] {
  if (effect === '') return [requiredField(field, '')];
  return EFFECTS.includes(effect) ? [] : [unsupportedField(field, effect, EFFECTS)];
}

function amountsErrors(object: unknown): FieldError[] {
  return ['capacity', 'allocatable'].flatMap((part) =>
    Object.entries((valueAt(object, `status.${part}`) ?? {}) as Record<string, unknown>).flatMap(([name, amount]) =>
      amountErrors(`status.${part}.${name}`, name, amount),
    ),
  );
}

function blocksErrors(object: unknown): FieldError[] {
  const blocks = listAt(object, BLOCKS).map(scalarText);
  const errors = blocks.flatMap((block, index) => legacyBlockErrors(`${BLOCKS}[${index}]`, block));
  if (blocks.length < 2) return errors;
  const families = blocks.map((block) => parseBlock(block)?.bits);
  const wrong = families.indexOf(undefined);
  if (wrong >= 0) {
    const why = `invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${blocks[wrong]})`;
    const text_ = `Internal error: invalid PodCIDRs. failed to check with dual stack with error:${why}`;
    errors.push({ reason: 'InternalError', field: BLOCKS, message: text_ });
  }
  if (wrong >= 0 || new Set(families).size < 2 || blocks.length > 2) {
    errors.push(invalidField(BLOCKS, blocks, 'may specify no more than one CIDR for each IP family'));
  }
  return errors;
}

function changeErrors(object: Change['object'], previous: Change['object']): FieldError[] {
  const [blocks, before] = [object, previous].map((each) => listAt(each, BLOCKS));
  const [id, earlier] = [object, previous].map((each) => scalarText(valueAt(each, 'spec.providerID')));
  const isChanged = before?.some((block, index) => block !== blocks?.[index]) ?? false;
  const isMoved = (before?.length ?? 0) > 0 && (isChanged || before?.length !== blocks?.length);
  const rule = (name: string): string => `node updates may not change ${name} except from "" to valid`;
  return [
    ...(isMoved ? [forbiddenField(BLOCKS, rule('podCIDR'))] : []),
    ...(earlier !== '' && id !== earlier ? [forbiddenField('spec.providerID', rule('providerID'))] : []),
  ];
}
