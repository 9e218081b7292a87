import type { ApiObject, JsonObject } from '../../storage/stored-object.ts';
import { child } from '../defaulting/table.ts';
import type { Change } from '../resource-type.ts';
import { valueAt } from '../resource-type.ts';

const UID = 'controller-uid';
const NAME = 'job-name';
const PREFIX = 'batch.kubernetes.io/';

/** Selects the Pods of a new Job by its uid, unless the client chose the selector. */
export function admitJob({ object, previous }: Change): void {
  const spec = object['spec'] as JsonObject;
  if (previous || spec['manualSelector'] === true) return;
  const { uid, name } = object.metadata;
  const labels = child(child(child(spec, 'template'), 'metadata'), 'labels');
  for (const [label, value] of Object.entries({
    [UID]: uid,
    [NAME]: name,
    [PREFIX + UID]: uid,
    [PREFIX + NAME]: name,
  }))
    labels[label] ??= value;
  child(child(spec, 'selector'), 'matchLabels')[PREFIX + UID] ??= uid;
}

/**
 * Sets the labels of a Job that has none to those of its template. A real server stores the Job without them, and adds
 * them whenever it reads it.
 *
 * @returns whether labels were added.
 */
export function labelJob({ metadata, spec }: ApiObject): boolean {
  const labels = valueAt(spec, 'template.metadata.labels') as Readonly<Record<string, string>> | undefined;
  if (metadata.labels || !labels) return false;
  metadata.labels = { ...labels };
  return true;
}
