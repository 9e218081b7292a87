import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import type { ApiObject } from '../../storage/stored-object.ts';
import { qualifiedNameErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { valueAt } from '../resource-type.ts';
import { besidesMetadata, IMMUTABLE } from './rules.ts';

/* Rules and messages follow `pkg/apis/core/validation/events.go`. */

const TEXT_LIMIT = 128;
const NOTE_LIMIT = 1024;

/** Returns the errors of an event of the core group. */
export function eventErrors(change: Change): FieldError[] {
  return besidesMetadata(change, ownErrors(change.object, 'reportingComponent'));
}

/** An event with a time is of the new form, whatever its version. */
function ownErrors(event: ApiObject, controller: ReporterField): FieldError[] {
  return event['eventTime'] ? strictErrors(event, controller) : namespaceErrors(event);
}

/** Name of the field of the reporter in errors, by the version of the request. */
type ReporterField = 'reportingComponent' | 'reportingController';

function namespaceErrors(event: ApiObject): FieldError[] {
  const namespace = textAt(event, 'involvedObject.namespace');
  const own = event.metadata.namespace ?? '';
  const fits = namespace === '' ? own === '' || own === 'default' : namespace === own;
  return fits ? [] : [invalidField('involvedObject.namespace', namespace, 'does not match event.namespace')];
}

/** Fields of a new event that do not change, in the order of upstream, by the names of the stored version. */
const FIXED = [
  ...['reason', 'message', 'source', 'firstTimestamp', 'lastTimestamp', 'count', 'type', 'eventTime', 'action'],
  ...['related', 'reportingComponent', 'reportingInstance'],
];

/** Fields whose names in errors are those of `events.k8s.io/v1`. */
const SHOWN: Readonly<Record<string, string>> = { reportingComponent: 'reportingController' };

/** Values that Go prints where a field of these is absent. */
const EMPTY: Readonly<Record<string, unknown>> = {
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  count: 0,
};

function changedEventErrors({ object: event, metadataErrors = [] }: Change, previous: ApiObject): FieldError[] {
  const errors = [...metadataErrors, ...ownErrors(event, 'reportingController')];
  if (!isDeepStrictEqual(event['series'], previous['series'])) errors.push(...seriesErrors(event));
  if (!isDeepStrictEqual(reference(event), reference(previous))) {
    errors.push(invalidField('involvedObject', reference(event), IMMUTABLE));
  }
  for (const field of FIXED) {
    const [value, before] = [event[field] ?? EMPTY[field] ?? null, previous[field] ?? EMPTY[field] ?? null];
    const texts = [value, before].map((each) => (each === '' ? null : each));
    if (isDeepStrictEqual(texts[0], texts[1])) continue;
    const shown = value ?? (typeof before === 'string' && !(field in EMPTY) ? '' : null);
    errors.push(invalidField(SHOWN[field] ?? field, shown, IMMUTABLE));
  }
  return errors;
}

/** The involved object as Go prints it. */
function reference(event: ApiObject): object {
  const part = (field: string): string => textAt(event, `involvedObject.${field}`);
  return {
    Kind: part('kind'),
    Namespace: part('namespace'),
    Name: part('name'),
    UID: part('uid'),
    APIVersion: part('apiVersion'),
    ResourceVersion: part('resourceVersion'),
    FieldPath: part('fieldPath'),
  };
}

/** Returns the errors of an event with a time, which must name its reporter. */
function strictErrors(event: ApiObject, controller: ReporterField): FieldError[] {
  const namespace = event.metadata.namespace ?? '';
  const involved = textAt(event, 'involvedObject.namespace');
  const fits = involved !== '' || namespace === 'default' || namespace === 'kube-system';
  return [
    ...(fits ? [] : [invalidField('involvedObject.namespace', involved, 'does not match event.namespace')]),
    ...reporterErrors(event, controller),
  ];
}

/** Returns the errors of an event of `events.k8s.io/v1`, which has required fields. An update may not change most fields. */
export function newEventErrors(change: Change): FieldError[] {
  const { object, previous, metadataErrors = [] } = change;
  if (previous) return changedEventErrors(change, previous);
  const errors = [...ownErrors(object, 'reportingController'), ...metadataErrors, ...seriesErrors(object)];
  if (!object['eventTime']) errors.push(requiredField('eventTime', ''));
  const type = textAt(object, 'type');
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalidField('type', '', `has invalid value: ${type}`));
  for (const field of ['firstTimestamp', 'lastTimestamp', 'count']) {
    if (object[field]) errors.push(invalidField(field, '', 'needs to be unset'));
  }
  const source = object['source'];
  if (textIn(source, 'component') !== '' || textIn(source, 'host') !== '')
    errors.push(invalidField('source', '', 'needs to be unset'));
  return errors;
}

function seriesErrors({ series }: ApiObject): FieldError[] {
  if (series === undefined || series === null) return [];
  const count = valueAt(series, 'count');
  return [
    ...(typeof count === 'number' && count >= 2 ? [] : [invalidField('series.count', '', 'should be at least 2')]),
    ...(valueAt(series, 'lastObservedTime') ? [] : [requiredField('series.lastObservedTime', '')]),
  ];
}

function reporterErrors(event: ApiObject, field: ReporterField): FieldError[] {
  const controller = textAt(event, 'reportingComponent');
  const errors = controller === '' ? [requiredField(field, '')] : [];
  errors.push(...qualifiedNameErrors(controller).map((detail) => invalidField(field, controller, detail)));
  errors.push(...requiredText(event, 'reportingInstance'), ...requiredText(event, 'action'));
  errors.push(...requiredText(event, 'reason'));
  if (textAt(event, 'message').length > NOTE_LIMIT) {
    errors.push(invalidField('message', '', `can have at most ${NOTE_LIMIT} characters`));
  }
  return errors;
}

function requiredText(event: ApiObject, field: string): FieldError[] {
  const text = textAt(event, field);
  if (text === '') return [requiredField(field, '')];
  return text.length > TEXT_LIMIT ? [invalidField(field, '', `can have at most ${TEXT_LIMIT} characters`)] : [];
}

function textAt(event: ApiObject, path: string): string {
  return textIn(event, path);
}

function textIn(value: unknown, path: string): string {
  const text = valueAt(value, path);
  return typeof text === 'string' ? text : '';
}
