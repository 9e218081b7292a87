import * as z from 'zod';
import type { ResourceType, ScalePaths } from '../resources/resource-type.ts';
import { present, setValueAt, valueAt } from '../resources/resource-type.ts';
import { badRequest, invalid, invalidField, notFound } from '../status.ts';
import type { ApiObject, JsonObject, StoredObject } from '../storage/stored-object.ts';
import type { Backend, ManagedWriteOptions, Target } from './target.ts';
import { get } from './target.ts';
import { apply } from './apply.ts';
import { modify } from './update.ts';

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
export function readScale(backend: Backend, target: Target): Scale {
  return scaleOf(target.type, present(target.type, get(backend, target)));
}

export interface Rescale extends ManagedWriteOptions {
  readonly target: Target;
  /** Returns the new scale, given the current one. */
  readonly change: (scale: Scale) => unknown;
}

/** @throws {StatusError} the errors of an update. */
export function rescale(backend: Backend, { target, change, ...options }: Rescale): Scale {
  const { type } = target;
  const paths = pathsOf(type, target);
  const stored = modify(backend, {
    target,
    part: 'scale',
    ...options,
    change: (object) => {
      const { metadata, spec } = decodeScale(target, change(scaleOf(type, object)));
      setValueAt(object, paths.spec, spec.replicas);
      // Without a version, the write is unconditional.
      object.metadata = { ...object.metadata, resourceVersion: metadata.resourceVersion ?? '' };
      return object;
    },
  });
  return answer(type, stored);
}

export interface ScaleApplication extends ManagedWriteOptions {
  readonly target: Target;
  readonly body: unknown;
  readonly force: boolean;
}

/** Applies a scale: the manager then owns the number of replicas. @throws {StatusError} the errors of an apply. */
export function applyScale(backend: Backend, { target, body, ...options }: ScaleApplication): Scale {
  const { type, namespace, name } = target;
  const { spec } = decodeScale(target, body);
  const { kind, apiVersion } = present(type, get(backend, target));
  const wanted: JsonObject = { kind, apiVersion, metadata: { name, namespace } };
  setValueAt(wanted, pathsOf(type, target).spec, spec.replicas);
  return answer(type, apply(backend, { target, part: 'scale', body: wanted, ...options }).object);
}

function answer(type: ResourceType, stored: StoredObject): Scale {
  return scaleOf(type, present(type, stored));
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
    spec: { replicas: Number(valueAt(object, spec) ?? 0) },
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

function decodeScale({ name }: Target, body: unknown): z.infer<typeof sentScale> {
  const parsed = sentScale.safeParse(body);
  if (!parsed.success) throw badRequest(`the body cannot be handled as a Scale: ${z.prettifyError(parsed.error)}`);
  const { replicas } = parsed.data.spec;
  if (replicas < 0) {
    const error = invalidField('spec.replicas', replicas, 'must be greater than or equal to 0');
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, [error]);
  }
  return parsed.data;
}
