import { listAt } from '../resources/cells.ts';
import { present, scalarText, valueAt } from '../resources/resource-type.ts';
import { now } from '../resources/timestamp.ts';
import type { FieldError } from '../status.ts';
import { badRequest, conflict, requiredField, StatusError, unsupportedField } from '../status.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';
import { admitAction } from './admitted.ts';
import type { Steps } from './steps.ts';
import type { Backend, ManagedWriteOptions, Target } from './target.ts';
import { get } from './target.ts';
import { replacing } from './update.ts';

export interface Bind extends ManagedWriteOptions {
  readonly target: Target;
  /** Body of kind Binding as sent. */
  readonly body: unknown;
}

/**
 * Assigns a Pod to a node.
 *
 * @throws {StatusError} 404, 409 if the Pod is assigned already, terminates or has scheduling gates, 500 for an invalid
 *   target.
 */
export function* binding(backend: Backend, { target, body, admission, ...options }: Bind): Steps<void> {
  if (scalarText(valueAt(body, 'metadata.name')) !== target.name)
    throw badRequest('name in URL does not match name in Binding object');
  const attributes = { ...target, apiVersion: 'v1', kind: 'Binding', subresource: 'binding' };
  const admitted = yield* admitAction(backend, admission, attributes, body);
  const errors = targetErrors(valueAt(admitted, 'target'));
  // Upstream returns these errors without a reason.
  if (errors.length > 0) {
    throw new StatusError(500, '', errors.map(({ field, message }) => `${field}: ${message}`).join(', '));
  }
  if (target.name === '') throw badRequest('Name parameter required.');
  const current = get(backend, target);
  const pod = present(target.type, current);
  const why = obstacle(pod);
  if (why !== undefined) throw conflict({ group: '', plural: 'pods/binding' }, target.name, why);
  const request = { target, part: 'binding', ...options } as const;
  // The registry of a real server writes the Pod without its field managers.
  yield* replacing(backend, request, current, current, bound(pod, admitted), pod.metadata.managedFields ?? []);
}

function targetErrors(node: unknown): FieldError[] {
  const kind = scalarText(valueAt(node, 'kind'));
  return [
    ...(kind !== '' && kind !== 'Node' ? [unsupportedField('target.kind', kind, ['Node', '<empty>'])] : []),
    ...(scalarText(valueAt(node, 'name')) === '' ? [requiredField('target.name', '')] : []),
  ];
}

function obstacle(pod: ApiObject): string | undefined {
  const { name, deletionTimestamp } = pod.metadata;
  const node = scalarText(valueAt(pod, 'spec.nodeName'));
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (node !== '') return `pod ${name} is already assigned to node ${JSON.stringify(node)}`;
  if (listAt(pod, 'spec.schedulingGates').length > 0) return `pod ${name} has non-empty .spec.schedulingGates`;
  return undefined;
}

function bound(pod: ApiObject, binding: unknown): ApiObject {
  const [annotations, labels] = ['annotations', 'labels'].map(
    (field) => valueAt(binding, `metadata.${field}`) as object,
  );
  const others = listAt(pod, 'status.conditions').filter((each) => valueAt(each, 'type') !== 'PodScheduled');
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime: now() };
  const metadata = { ...pod.metadata };
  if (annotations) metadata.annotations = { ...metadata.annotations, ...annotations };
  if (labels) metadata.labels = { ...metadata.labels, ...labels };
  return {
    ...pod,
    metadata,
    spec: { ...(pod['spec'] as JsonObject), nodeName: valueAt(binding, 'target.name') },
    status: { ...(pod['status'] as JsonObject | undefined), conditions: [...others, scheduled] },
  };
}
