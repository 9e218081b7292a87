import type { JsonObject } from '../../storage/stored-object.ts';
import { child } from '../defaulting/table.ts';
import { labelValueErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';

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
  // Jobs without labels get those of their template when they are stored, so that errors name only the template.
  if (labelValueErrors(name).length === 0) object.metadata.labels ??= { ...(labels as Record<string, string>) };
  child(child(spec, 'selector'), 'matchLabels')[PREFIX + UID] ??= uid;
}
