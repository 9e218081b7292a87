import * as z from 'zod';
import { applyConfiguration } from '../apply/apply-configuration.ts';
import { configurationOf } from '../apply/configuration.ts';
import { singleVersion } from '../apply/field-types.ts';
import type { ManagedFieldsEntry } from '../apply/managed-fields.ts';
import { trackUpdate } from '../apply/ownership.ts';
import type { ReplicasPath } from '../apply/scale-owners.ts';
import { ownersFromScale, ownersOfScale, SCALE_VERSION } from '../apply/scale-owners.ts';
import { compactMetadata } from '../resources/common-metadata.ts';
import { metadataErrors } from '../resources/metadata.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { ResourceType, ScalePaths } from '../resources/resource-type.ts';
import { apiVersionOf, present, scalarText, setValueAt, valueAt } from '../resources/resource-type.ts';
import { scaleFault } from '../resources/scale-errors.ts';
import { objectSchema } from '../schema/built-in-schema.ts';
import { requireWholeNumbers } from '../schema/fractions.ts';
import type { FieldError } from '../status.ts';
import {
  badRequest,
  internalError,
  invalid,
  invalidField,
  notFound,
  StatusError,
  unconvertibleScale,
  unownedScale,
} from '../status.ts';
import type { ApiObject, JsonObject, StoredObject } from '../storage/stored-object.ts';
import type { Paused } from '../turn.ts';
import { Turn } from '../turn.ts';
import { requireAppliedName } from './apply.ts';
import { placeInNamespace } from './create.ts';
import type { Steps } from './steps.ts';
import type { Backend, ManagedWriteOptions, Target } from './target.ts';
import { get } from './target.ts';
import type { Facade } from './update.ts';
import { replacing, requireName } from './update.ts';
import { untilStored } from './until-stored.ts';
import { loaded } from './version-conversion.ts';

/** The scale subresource: desired and current replicas, in the same form for every kind (API `autoscaling/v1`). */
export interface Scale extends JsonObject {
  readonly kind: 'Scale';
  readonly apiVersion: 'autoscaling/v1';
}

const sentScale = z.looseObject({
  kind: z.literal('Scale'),
  apiVersion: z.literal('autoscaling/v1'),
  metadata: z.looseObject({ resourceVersion: z.string().optional() }).default({}),
  spec: z.looseObject({ replicas: z.int().default(0) }).default({ replicas: 0 }),
});

/** @throws {StatusError} 404 */
export function* readingScale(backend: Backend, target: Target): Steps<Scale> {
  const { type } = target;
  const object = present(type, yield* loaded(type, get(backend, target)));
  requireReadable(type, object);
  const path = type.scale?.spec ?? '';
  if (!type.builtIn && valueAt(object, path) === undefined) {
    throw internalError(new Error(`the spec replicas field ".${path}" does not exist`));
  }
  return scaleOf(type, object);
}

/** @throws {StatusError} 500 if the fields of a custom object that its scale shows have wrong types. */
function requireReadable({ builtIn, scale }: ResourceType, object: ApiObject): void {
  const fault = builtIn || !scale ? undefined : scaleFault(scale, object);
  if (fault !== undefined) throw new StatusError(500, undefined, fault);
}

export interface Rescale extends ManagedWriteOptions {
  readonly target: Target;
  /** Returns the new scale, given the current one. */
  readonly change: (scale: Scale, turn: Turn) => Paused<unknown>;
}

/** @throws {StatusError} the errors of an update. */
export function* rescaling(backend: Backend, { target, change, ...options }: Rescale): Steps<Scale> {
  return yield* untilStored(backend, { target }, function* () {
    const current = get(backend, target);
    const seen = yield* loaded(target.type, current);
    const turn = new Turn();
    const before = yield* managedScale(backend, target, seen, turn);
    const changed = yield* change(scaleOf(target.type, present(target.type, seen)), turn);
    requireName(scalarText(valueAt(changed, 'metadata.name')), target.name);
    const sent = decodeScale(target, changed);
    const { managedFields: _, ...metadata } = before.metadata;
    const after = { ...before, metadata, spec: specOf(sent.spec.replicas) };
    const manager = { name: options.manager, operation: 'Update', ...SCALE_MANAGER } as const;
    const owners = yield* trackUpdate(SCALE_TYPES, manager, { live: before, object: after }, turn);
    return yield* storing(backend, { target, ...options }, [current, seen], sent, owners);
  });
}

export interface ScaleApplication extends ManagedWriteOptions {
  readonly target: Target;
  readonly body: unknown;
  readonly force: boolean;
  /** Called after the merge, before anything is stored. */
  readonly afterMerge?: () => void;
}

/** Applies a scale: the manager then owns the number of replicas. @throws {StatusError} the errors of an apply. */
export function* applyingScale(backend: Backend, application: ScaleApplication): Steps<Scale> {
  return yield* untilStored(backend, application, () => attempt(backend, application));
}

function* attempt(
  backend: Backend,
  { target, body, force, afterMerge, ...options }: ScaleApplication,
): Steps<Scale | undefined> {
  const current = get(backend, target);
  const seen = yield* loaded(target.type, current);
  const config = configurationOf({ apiVersion: SCALE_VERSION, kind: 'Scale' }, body);
  const turn = new Turn();
  const live = yield* managedScale(backend, target, seen, turn);
  if (!target.type.builtIn && !live.metadata.managedFields?.length) throw unownedScale();
  const { object, managedFields, changed } = yield* applyConfiguration({
    types: SCALE_TYPES,
    manager: { name: options.manager, operation: 'Apply', ...SCALE_MANAGER },
    live,
    config,
    force,
    turn,
  });
  if (!target.type.builtIn && changed) throw unconvertibleScale(config);
  const named = { ...object, metadata: { ...object.metadata } };
  placeInNamespace(named, target.type, target.namespace);
  requireAppliedName(named, target.name);
  yield* requireWholeNumbers(SCALE_SCHEMA, config, named, turn);
  afterMerge?.();
  const applied = { ...named, spec: valueAt(named, 'spec') ?? {} };
  const sent = decodeScale(target, applied);
  return yield* storing(backend, { target, ...options }, [current, seen], sent, managedFields);
}

const SCALE_SCHEMA = objectSchema({
  type: 'object',
  properties: {
    spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
  },
});

const SCALE_TYPES = singleVersion(SCALE_VERSION, SCALE_SCHEMA, { spec: {}, status: {}, metadata: {} });

const SCALE_MANAGER = { apiVersion: SCALE_VERSION, subresource: 'scale' } as const;

/** Returns the scale of an object with the managers that own its replicas. */
function* managedScale({ registry }: Backend, { type }: Target, current: StoredObject, turn: Turn): Paused<ApiObject> {
  const object = present(type, current);
  requireReadable(type, object);
  const { metadata, spec, ...rest } = scaleOf(type, object);
  const entries = object.metadata.managedFields ?? [];
  const managedFields = yield* ownersOfScale(entries, replicasPath(registry, type), turn);
  return {
    ...rest,
    metadata: { ...(metadata as ApiObject['metadata']), managedFields },
    spec: specOf(valueAt(spec, 'replicas')),
  };
}

/** Go omits a zero. */
function specOf(replicas: unknown): JsonObject {
  return replicas === 0 || replicas === undefined ? {} : { replicas };
}

function replicasPath(registry: ResourceRegistry, type: ResourceType): ReplicasPath {
  return (apiVersion) => {
    const versions = registry.all().filter(({ storage }) => storage === type.storage);
    const version = versions.find((candidate) => apiVersionOf(candidate) === apiVersion);
    return version && (version.scale ? version.scale.spec.split('.').map((name) => `f:${name}`) : null);
  };
}

/** Stores the replicas of a scale and the owners of the object. */
function* storing(
  backend: Backend,
  { target, ...options }: ManagedWriteOptions & { readonly target: Target },
  [current, seen]: readonly [StoredObject, StoredObject],
  { metadata, spec }: SentScale,
  scaleOwners: readonly ManagedFieldsEntry[],
): Steps<Scale | undefined> {
  const { type } = target;
  const object = present(type, seen);
  const paths = pathsOf(type, target);
  setValueAt(object, paths.spec, spec.replicas);
  const before = object.metadata.managedFields ?? [];
  const pathOf = replicasPath(backend.registry, type);
  const owners = yield* ownersFromScale(before, scaleOwners, pathOf, apiVersionOf(type), new Turn());
  // Without a version, the write is unconditional. A custom resource keeps its own.
  const own = type.builtIn ? '' : object.metadata.resourceVersion;
  object.metadata = { ...object.metadata, resourceVersion: metadata.resourceVersion || own };
  const request = { target, part: 'scale', facade: facadeOf(type, paths), ...options } as const;
  const stored = yield* replacing(backend, request, current, seen, object, owners);
  return stored && scaleOf(type, present(type, yield* loaded(type, stored)));
}

/** Webhooks and policies see the scale, and not the object. */
function facadeOf(type: ResourceType, paths: ScalePaths): Facade {
  return {
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    show: (object) => scaleOf(type, object) as unknown as ApiObject,
    absorb: (object, scale) => setValueAt(object, paths.spec, Number(valueAt(scale, 'spec.replicas') ?? 0)),
  };
}

function pathsOf(type: ResourceType, { name }: Target): ScalePaths {
  if (!type.scale) throw notFound(type, name);
  return type.scale;
}

function scaleOf(type: ResourceType, object: ApiObject): Scale {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { spec, status, selector } = type.scale ?? { spec: '', status: '', selector: undefined };
  const selected = selector === undefined ? '' : selectorText(valueAt(object, selector));
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: specOf(Number(valueAt(object, spec) ?? 0)),
    status: { replicas: Number(valueAt(object, status) ?? 0), ...(selected !== '' && { selector: selected }) },
  };
}

/** Returns a label selector in the form of a query. */
export function selectorText(selector: unknown): string {
  if (typeof selector === 'string') return selector;
  // A ReplicationController selects by a map of labels.
  const isMap = Object.values(selector ?? {}).every((value) => typeof value === 'string');
  const matchLabels = isMap ? selector : valueAt(selector, 'matchLabels');
  const labels = Object.entries((matchLabels as Record<string, string> | undefined) ?? {});
  const expressions = (valueAt(selector, 'matchExpressions') as readonly Expression[] | undefined) ?? [];
  return [...labels.map(([key, value]) => `${key}=${value}`), ...expressions.map(expressionText)].join(',');
}

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

function expressionText({ key, operator, values = [] }: Expression): string {
  switch (operator) {
    case 'Exists':
      return key;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return `${key} ${operator.toLowerCase()} (${values.join(',')})`;
  }
}

type SentScale = z.infer<typeof sentScale>;

function decodeScale({ type, name }: Target, body: unknown): SentScale {
  const parsed = sentScale.safeParse(body);
  if (!parsed.success) throw badRequest(`the body cannot be handled as a Scale: ${z.prettifyError(parsed.error)}`);
  // The rules of a custom kind judge its scale.
  const errors = type.builtIn ? sentErrors({ ...type, nameRule: 'subdomain', storage: 'scales' }, parsed.data) : [];
  if (errors.length > 0) throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, errors);
  return parsed.data;
}

/** Validates a scale that a client sent (upstream: `ValidateScale`). The metadata is not stored. */
function sentErrors(type: ResourceType, { metadata, spec: { replicas }, ...identity }: SentScale): FieldError[] {
  const { name, ...rest } = { name: '', ...compactMetadata(metadata) };
  const detail = 'must be greater than or equal to 0';
  return [
    ...metadataErrors(type, { ...identity, metadata: { ...rest, name } }),
    ...(replicas < 0 ? [invalidField('spec.replicas', replicas, detail)] : []),
  ];
}
