import type { JsonObject } from '../../storage/stored-object.ts';
import { emptyCollection } from '../../schema/empty-collections.ts';
import { orderedSelector, sortedKeys } from '../validation/selector.ts';
import { internalPodTypes } from './pod-types.ts';
import { internalVolumeTypes } from './volume-types.ts';
import { internalWorkloadTypes } from './workload-types.ts';

/**
 * Internal types by name, each with its fields in the order of Go: `Name type, Name type, …`.
 *
 * - `Name=json` is a field that has another name in JSON than its own with a small first letter.
 * - A type is `string`, `int`, `bool`, `quantity`, `intOrString`, or the name of another type. `T?` is a pointer, `T[]` a
 *   list, `?` a pointer, list or map of scalars.
 * - `+T` stands for the fields of an embedded type.
 */
export type InternalTypeTable = Readonly<Record<string, string>>;

const table: InternalTypeTable = { ...internalPodTypes, ...internalVolumeTypes, ...internalWorkloadTypes };

interface Field {
  readonly name: string;
  /** Name in JSON; `undefined` for an embedded type. */
  readonly json: string | undefined;
  readonly type: string;
  readonly form: 'value' | 'pointer' | 'list';
}

const compiled = new Map<string, readonly Field[]>();

/** Values of absent fields. Pointers, lists and maps are null. */
const ZERO: Readonly<Record<string, unknown>> = { string: '', int: 0, bool: false, quantity: '0', intOrString: 0 };

/** Fields of the metadata, which the internal types share with the others, in the order of Go. */
const METADATA = [
  ...['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'labels', 'annotations', 'ownerReferences', 'finalizers'],
];

/**
 * Returns a value of a built-in type as kube-apiserver writes its internal type into messages: with the names and the
 * order of the Go fields, absent ones included.
 *
 * @param type name in the tables.
 */
export function internalValue(type: string, value: unknown): JsonObject {
  return Object.fromEntries(entriesOf(type, (value ?? {}) as JsonObject));
}

/** Returns a template of Pods as kube-apiserver writes it into messages. */
export function internalTemplate(template: unknown): JsonObject {
  return internalValue('PodTemplateSpec', template);
}

/** The internal type of the security context has some fields that the spec of clients has. */
function securityContext(spec: JsonObject): JsonObject {
  const { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers } = spec;
  const host = { hostNetwork, hostPID, hostIPC, shareProcessNamespace, hostUsers };
  return { ...(spec['securityContext'] as object | undefined), ...host };
}

function* entriesOf(type: string, value: JsonObject): Generator<[string, unknown]> {
  for (const field of fieldsOf(type)) {
    if (field.json === undefined) yield* embedded(field.type, value);
    else if (field.type === 'PodSecurityContext') yield [field.name, internalValue(field.type, securityContext(value))];
    else yield [field.name, valueOf(field, value[field.json] ?? emptyCollection(value, field.json))];
  }
}

function* embedded(type: string, value: JsonObject): Generator<[string, unknown]> {
  if (type !== 'ObjectMeta') {
    yield* entriesOf(type, value);
    return;
  }
  const metadata = (value['metadata'] ?? {}) as JsonObject;
  for (const name of METADATA) {
    const present = metadata[name];
    if (present !== undefined && present !== '' && present !== 0) yield [name, sortedKeys(present)];
  }
}

function valueOf({ type, form }: Field, value: unknown): unknown {
  if (value === undefined || value === null) return form === 'value' ? zeroOf(type) : null;
  if (type === 'LabelSelector') return orderedSelector(value);
  if (!Object.hasOwn(table, type)) return sortedKeys(value);
  if (form !== 'list') return internalValue(type, value);
  return (value as readonly unknown[]).map((item) => internalValue(type, item));
}

const zeroOf = (type: string): unknown => (Object.hasOwn(ZERO, type) ? ZERO[type] : internalValue(type, {}));

function fieldsOf(type: string): readonly Field[] {
  let fields = compiled.get(type);
  if (!fields) {
    const text = table[type];
    if (text === undefined) throw new TypeError(`the tables have no internal type ${JSON.stringify(type)}`);
    fields = text.split(',').map((part) => fieldIn(part.trim()));
    compiled.set(type, fields);
  }
  return fields;
}

function fieldIn(text: string): Field {
  if (text.startsWith('+')) return { name: '', json: undefined, type: text.slice(1), form: 'value' };
  const [names = '', type = ''] = text.split(' ');
  const [name = '', given] = names.split('=');
  const json = given ?? name.charAt(0).toLowerCase() + name.slice(1);
  const form = type.endsWith('?') ? 'pointer' : type.endsWith('[]') ? 'list' : 'value';
  return { name, json, type: type.replace(/\?$|\[\]$/u, ''), form };
}
