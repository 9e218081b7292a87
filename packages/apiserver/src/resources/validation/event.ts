import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import type { ApiObject } from '../../storage/stored-object.ts';
import { qualifiedNameErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { valueAt } from '../resource-type.ts';

/* Rules and messages follow `pkg/apis/core/validation/events.go`. */

const TEXT_LIMIT = 128;
const NOTE_LIMIT = 1024;

/** Returns the errors of an event, which both versions share. */
export function eventErrors({ object }: Change): FieldError[] {
  return namespaceErrors(object);
}

function namespaceErrors(event: ApiObject): FieldError[] {
  const namespace = textAt(event, 'involvedObject.namespace');
  const own = event.metadata.namespace ?? '';
  const fits = namespace === '' ? own === '' || own === 'default' : namespace === own;
  return fits ? [] : [invalidField('involvedObject.namespace', namespace, 'does not match event.namespace')];
}

/** Returns the errors of an event of `events.k8s.io/v1`, which has required fields. Updates are not judged by them. */
export function newEventErrors(change: Change): FieldError[] {
  const { object, previous } = change;
  const errors = namespaceErrors(object);
  if (previous) return errors;
  if (!object['eventTime']) errors.push(requiredField('eventTime', ''));
  const controller = textAt(object, 'reportingComponent');
  if (controller === '') errors.push(requiredField('reportingController', ''));
  errors.push(
    ...qualifiedNameErrors(controller).map((detail) => invalidField('reportingController', controller, detail)),
  );
  errors.push(...requiredText(object, 'reportingInstance'), ...requiredText(object, 'action'));
  errors.push(...requiredText(object, 'reason'));
  if (textAt(object, 'message').length > NOTE_LIMIT) {
    errors.push(invalidField('message', '', `can have at most ${NOTE_LIMIT} characters`));
  }
  const type = textAt(object, 'type');
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalidField('type', '', `has invalid value: ${type}`));
  return errors;
}

function requiredText(event: ApiObject, field: string): FieldError[] {
  const text = textAt(event, field);
  if (text === '') return [requiredField(field, '')];
  return text.length > TEXT_LIMIT ? [invalidField(field, '', `can have at most ${TEXT_LIMIT} characters`)] : [];
}

function textAt(event: ApiObject, path: string): string {
  const value = valueAt(event, path);
  return typeof value === 'string' ? value : '';
}
