import { isDeepStrictEqual } from 'node:util';
import type { ApiObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { dnsLabelErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { claimSpecWarnings } from './claim.ts';
import { podWarnings } from './pod.ts';

/** Warnings about workloads (upstream: `WarningsOnCreate` and `WarningsOnUpdate` of their strategies). */

const NAME = 'which can result in surprising behavior; a DNS label is recommended';

function nameWarnings({ metadata }: ApiObject, use: string): string[] {
  const errors = dnsLabelErrors(metadata.name);
  return errors.length === 0 ? [] : [`metadata.name: this is used in ${use}, ${NAME}: [${errors.join(' ')}]`];
}

/** Only new Pods are warned about. */
export function ofPod({ object, previous }: Change): string[] {
  return previous ? [] : [...nameWarnings(object, "the Pod's hostname"), ...podWarnings('', object)];
}

/** Reports whether a write starts a generation, as upstream does before it warns. */
const isNew = ({ object, previous }: Change): boolean => object.metadata.generation !== previous?.metadata.generation;

/** Warnings about a template at a path, when the object is new or has a new generation. */
function ofTemplate(change: Change, path: string): string[] {
  return isNew(change) ? podWarnings(path, valueAt(change.object, path)) : [];
}

const onCreate = ({ object, previous }: Change): string[] =>
  previous ? [] : nameWarnings(object, 'Pod names and hostnames');

/** Deployments and ReplicaSets. */
export function ofReplicas(change: Change): string[] {
  return [...onCreate(change), ...ofTemplate(change, 'spec.template')];
}

/** Upstream looks at the template before an update. */
export function ofController(change: Change): string[] {
  const { previous } = change;
  if (!previous) return ofReplicas(change);
  return isNew(change) ? podWarnings('spec.template', valueAt(previous, 'spec.template')) : [];
}

/** A PodTemplate. */
export function ofPodTemplate(change: Change): string[] {
  return ofTemplate(change, 'template');
}

/** Only a new template is warned about. */
export function ofDaemonSet({ object, previous }: Change): string[] {
  const template = valueAt(object, 'spec.template');
  return isDeepStrictEqual(template, valueAt(previous, 'spec.template')) ? [] : podWarnings('spec.template', template);
}

/** A StatefulSet, whose claims are warned about at each write. */
export function ofStatefulSet(change: Change): string[] {
  const { object, previous } = change;
  const limit = valueAt(object, 'spec.revisionHistoryLimit');
  const own = previous ? '.Spec' : '';
  return [
    ...ofTemplate(change, 'spec.template'),
    ...listAt(object, 'spec.volumeClaimTemplates').flatMap((claim, index) =>
      claimSpecWarnings(`spec.volumeClaimTemplates[${index}]${own}`, valueAt(claim, 'spec')),
    ),
    ...(typeof limit === 'number' && limit < 0
      ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
      : []),
  ];
}

const MANY = { completions: 100_000, parallelism: 10_000 };

function ofJobSpec(change: Change, path: string): string[] {
  if (!isNew(change)) return [];
  const spec = valueAt(change.object, path);
  const isLarge = (['completions', 'parallelism'] as const).every(
    (field) => Number(valueAt(spec, field) ?? 0) > MANY[field],
  );
  const text =
    'In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail';
  return [
    ...(isLarge && valueAt(spec, 'completionMode') === 'Indexed' ? [`${path}: ${text}`] : []),
    ...podWarnings(`${path}.template`, valueAt(spec, 'template')),
  ];
}

/** A Job. */
export function ofJob(change: Change): string[] {
  return [...onCreate(change), ...ofJobSpec(change, 'spec')];
}

const ZONE =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';

/** A CronJob. */
export function ofCronJob(change: Change): string[] {
  const { object, previous } = change;
  const hasZone = previous !== undefined && scalarText(valueAt(object, 'spec.schedule')).includes('TZ');
  return [...onCreate(change), ...ofJobSpec(change, 'spec.jobTemplate.spec'), ...(hasZone ? [ZONE] : [])];
}
