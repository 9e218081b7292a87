import type { ApiObject, JsonObject } from '../../storage/stored-object.ts';
import { parseStored } from '../../storage/stored-object.ts';
import { child } from '../defaulting/table.ts';
import type { AdmissionContext, Change } from '../resource-type.ts';
import { valueAt } from '../resource-type.ts';
import { now } from '../timestamp.ts';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const OLD_DEFAULT_CLASS = 'storageclass.beta.kubernetes.io/is-default-class';

/** Sets the phase of a new volume, and the finalizer that protects it while it is in use. */
export function admitVolume({ object, previous }: Change): void {
  if (previous) return;
  object['status'] = { phase: 'Pending', lastPhaseTransitionTime: now() };
  protect(object.metadata, 'kubernetes.io/pv-protection');
}

/** Sets the finalizer that protects a new class while it is in use. */
export function admitVolumeAttributesClass({ object, previous }: Change): void {
  if (!previous) protect(object.metadata, 'kubernetes.io/vac-protection');
}

/** Sets the finalizer and the default class of a new claim, and both names of its source. */
export function admitVolumeClaim({ object, previous }: Change, { store }: AdmissionContext): void {
  const spec = child(object, 'spec');
  setSource(spec, previous?.['spec'] as JsonObject | undefined);
  if (previous) return;
  protect(object.metadata, 'kubernetes.io/pvc-protection');
  if (
    spec['storageClassName'] !== undefined ||
    object.metadata.annotations?.['volume.beta.kubernetes.io/storage-class']
  )
    return;
  const defaults = store
    .resource('storageclasses.storage.k8s.io')
    .list('')
    .map((stored) => parseStored(stored))
    .filter(({ metadata }) => [DEFAULT_CLASS, OLD_DEFAULT_CLASS].some((key) => metadata.annotations?.[key] === 'true'));
  // The newest one, and of those of one second the first by name.
  const [first] = defaults.toSorted((a, b) => {
    const [left, right] = [a, b].map((each) => String(valueAt(each, 'metadata.creationTimestamp')));
    return left === right ? (a.metadata.name < b.metadata.name ? -1 : 1) : String(left) > String(right) ? -1 : 1;
  });
  if (first) spec['storageClassName'] = first.metadata.name;
}

/** Two names of one field, unless the reference leads to another namespace. A source of any other kind is dropped. */
function setSource(spec: JsonObject, before: JsonObject | undefined): void {
  if (before?.['dataSource'] === undefined && spec['dataSourceRef'] === undefined && !isKnown(spec['dataSource'])) {
    delete spec['dataSource'];
  }
  const [source, reference] = [spec['dataSource'], spec['dataSourceRef']];
  if (source && !reference) spec['dataSourceRef'] = structuredClone(source);
  const { namespace, ...local } = (reference ?? {}) as JsonObject;
  if (reference && !source && !namespace) spec['dataSource'] = structuredClone(local);
}

function isKnown(source: unknown): boolean {
  const [group, kind] = ['apiGroup', 'kind'].map((field) => valueAt(source, field));
  if (kind === 'PersistentVolumeClaim') return !group;
  return kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io';
}

function protect(metadata: Change['object']['metadata'], finalizer: string): void {
  metadata.finalizers = [...new Set([...(metadata.finalizers ?? []), finalizer])];
}

/** Reports whether a claim is new. A real server stores the status of a new claim without its default phase. */
export function isNewClaim({ metadata }: ApiObject): boolean {
  return !metadata.resourceVersion;
}
