import type { FieldError } from '../../../status.ts';
import { goQuote } from '../../../go-quote.ts';
import { invalidField, requiredField } from '../../../status.ts';
import { listAt } from '../../cells.ts';
import { dnsLabelErrors, subdomainErrors } from '../../names.ts';
import type { Change } from '../../resource-type.ts';
import { scalarText, valueAt } from '../../resource-type.ts';
import { nodeSelectorErrors } from '../affinity.ts';
import { at, text, unchanged } from '../rules.ts';
import { driverNameErrors } from '../volume-source.ts';
import { internalNodeSelector } from './internal.ts';
import { listErrors, tooLongField } from './lists.ts';
import { attributeNameErrors, poolNameErrors } from './names.ts';

/** Rules and messages follow `pkg/apis/resource/validation`. Fields whose feature gates are off were dropped before. */

const MOST_DEVICES = 128;
const MOST_ATTRIBUTES = 32;
const LONGEST_VALUE = 64;
const LONGEST_KEY = 96;

/** Validates a ResourceSlice, and warns about a driver whose name is not in lower case. */
export function resourceSliceErrors({ object, previous, warn }: Change): FieldError[] {
  const spec = object['spec'];
  const before = previous?.['spec'];
  const driver = scalarText(valueAt(spec, 'driver'));
  const errors = [
    ...driverNameErrors(['spec.driver', driver]),
    ...poolErrors(valueAt(spec, 'pool')),
    ...(before === undefined
      ? []
      : ['pool.name', 'driver', 'nodeName'].flatMap((path) =>
          unchanged(
            [`spec.${path}`, valueAt(spec, path) ?? (path === 'nodeName' ? undefined : '')],
            valueAt(before, path),
          ),
        )),
    ...placementErrors(spec),
    ...listErrors('spec.devices', listAt(spec, 'devices'), {
      limit: MOST_DEVICES,
      item: deviceErrors,
      key: (device) => valueAt(device, 'name') ?? '',
    }),
  ];
  if (errors.length === 0 && driver !== driver.toLowerCase()) {
    warn?.(`spec.driver: driver names should be lowercase; ${goQuote(driver)} contains uppercase characters`);
  }
  return errors;
}

function poolErrors(pool: unknown): FieldError[] {
  const [count, generation] = ['resourceSliceCount', 'generation'].map((field) => Number(valueAt(pool, field) ?? 0));
  return [
    ...poolNameErrors(at(pool, 'spec.pool', 'name')),
    ...((count ?? 0) > 0 ? [] : [invalidField('spec.pool.resourceSliceCount', count, 'must be greater than zero')]),
    ...((generation ?? 0) >= 0
      ? []
      : [invalidField('spec.pool.generation', generation, 'must be greater than or equal to zero')]),
  ];
}

/** Validates which Nodes have the devices. */
function placementErrors(spec: unknown): FieldError[] {
  const set: string[] = [];
  const errors: FieldError[] = [];
  const node = valueAt(spec, 'nodeName');
  if (node === '') {
    errors.push(invalidField('spec.nodeName', node, 'must be either unset or set to a non-empty string'));
  } else if (node !== undefined) {
    set.push('`nodeName`');
    errors.push(...text(['spec.nodeName', node], subdomainErrors));
  }
  const selector = valueAt(spec, 'nodeSelector');
  if (selector !== undefined) {
    set.push('`nodeSelector`');
    errors.push(...nodeSelectorErrors('spec.nodeSelector', selector));
    if (listAt(selector, 'nodeSelectorTerms').length !== 1) {
      const terms = internalNodeSelector(selector)?.NodeSelectorTerms;
      const detail = 'must have exactly one node selector term';
      errors.push(invalidField('spec.nodeSelector.nodeSelectorTerms', terms, detail));
    }
  }
  const all = valueAt(spec, 'allNodes');
  if (all === true) set.push('`allNodes`');
  else if (all === false) errors.push(invalidField('spec.allNodes', all, 'must be either unset or set to true'));
  const which = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (set.length === 0) errors.push(requiredField('spec', which));
  if (set.length > 1) {
    errors.push(invalidField('spec', `{${set.join(', ')}}`, `${which}, but multiple fields are set`));
  }
  return errors;
}

function deviceErrors(field: string, device: unknown): FieldError[] {
  const [attributes, capacity] = ['attributes', 'capacity'].map((name) => Object.entries(valueAt(device, name) ?? {}));
  const count = (attributes?.length ?? 0) + (capacity?.length ?? 0);
  const detail = `the total number of attributes and capacities must not exceed ${MOST_ATTRIBUTES}`;
  return [
    ...text(at(device, field, 'name'), dnsLabelErrors),
    ...(count > MOST_ATTRIBUTES ? [invalidField(field, count, detail)] : []),
    ...(attributes ?? []).flatMap(([key, attribute]) => {
      const place = `${field}.attributes[${shortened(key)}]`;
      return [...attributeNameErrors(place, key), ...attributeErrors(place, attribute)];
    }),
    ...(capacity ?? []).flatMap(([key]) => attributeNameErrors(`${field}.capacity[${shortened(key)}]`, key)),
  ];
}

/** Returns a key without its middle if it is too long for an error. */
function shortened(key: string): string {
  if (key.length <= LONGEST_KEY) return key;
  const rest = LONGEST_KEY - 3;
  return `${key.slice(0, Math.ceil(rest / 2))}...${key.slice(key.length - Math.floor(rest / 2))}`;
}

const VERSION =
  /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/u;

function attributeErrors(field: string, attribute: unknown): FieldError[] {
  const errors: FieldError[] = [];
  const [version, value] = ['version', 'string'].map((name) => valueAt(attribute, name));
  const longer = (name: string, content: unknown): FieldError[] =>
    Buffer.byteLength(scalarText(content)) > LONGEST_VALUE ? [tooLongField(`${field}.${name}`, LONGEST_VALUE)] : [];
  errors.push(...longer('string', value));
  if (version !== undefined && !VERSION.test(scalarText(version))) {
    const detail = 'must be a string compatible with semver.org spec 2.0.0';
    errors.push(invalidField(`${field}.version`, version, detail));
  }
  errors.push(...longer('version', version));
  const [IntValue, BoolValue, StringValue, VersionValue] = ['int', 'bool', 'string', 'version'].map(
    (name) => valueAt(attribute, name) ?? null,
  );
  const internal = { IntValue, BoolValue, StringValue, VersionValue };
  const count = Object.values(internal).filter((each) => each !== null).length;
  if (count !== 1) errors.push(invalidField(field, count === 0 ? '' : internal, 'exactly one value must be specified'));
  return errors;
}
