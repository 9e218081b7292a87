import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { regexError } from '../names.ts';
import { valueAt } from '../resource-type.ts';
import { at, nonNegative, oneOf, portNameErrors, portNumber, required, text } from './rules.ts';

const HANDLERS = ['exec', 'httpGet', 'tcpSocket', 'grpc', 'sleep'];

/** Validates the action of a probe or of a lifecycle hook: exactly one. */
export function handlerErrors(field: string, handler: unknown, grace: unknown): FieldError[] {
  const present = HANDLERS.filter((name) => valueAt(handler, name) !== undefined);
  const [first, ...others] = present;
  if (first === undefined) return [requiredField(field, 'must specify a handler type')];
  return [
    ...(first === 'sleep'
      ? sleepErrors(`${field}.sleep`, valueAt(handler, 'sleep'), grace)
      : actionErrors(first, `${field}.${first}`, valueAt(handler, first))),
    ...others.map((name) => forbiddenField(`${field}.${name}`, 'may not specify more than 1 handler type')),
  ];
}

/** A hook cannot sleep longer than the Pod has time to end. */
function sleepErrors(field: string, sleep: unknown, grace: unknown): FieldError[] {
  const seconds = Number(valueAt(sleep, 'seconds') ?? 0);
  if (typeof grace !== 'number' || (seconds >= 0 && seconds <= grace)) return [];
  const detail = `must be non-negative and less than terminationGracePeriodSeconds (${grace})`;
  return [invalidField(field, seconds, detail)];
}

function actionErrors(name: string, field: string, action: unknown): FieldError[] {
  switch (name) {
    case 'exec':
      return listAt(action, 'command').length === 0 ? [requiredField(`${field}.command`, '')] : [];
    case 'httpGet':
      return [
        ...required(at(action, field, 'path')),
        ...portErrors(at(action, field, 'port')),
        ...oneOf(at(action, field, 'scheme'), ['HTTP', 'HTTPS']),
        ...listAt(action, 'httpHeaders').flatMap((header) =>
          text([`${field}.httpHeaders`, valueAt(header, 'name')], headerNameErrors),
        ),
      ];
    case 'tcpSocket':
      return portErrors(at(action, field, 'port'));
    case 'grpc':
      return portErrors(at(action, field, 'port'));
    default:
      return [];
  }
}

/** An absent port is 0, which is not one. */
function portErrors([field, port = 0]: readonly [string, unknown]): FieldError[] {
  return typeof port === 'number' ? portNumber([field, port]) : text([field, port], portNameErrors);
}

const HEADER = '[-A-Za-z0-9]+';

function headerNameErrors(name: string): string[] {
  const rule = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return new RegExp(`^${HEADER}$`).test(name) ? [] : [regexError(rule, HEADER, 'X-Header-Name')];
}

const COUNTS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

/** Validates the probes and hooks of a container that runs as long as its Pod. */
export function probesErrors(field: string, container: unknown, grace: unknown): FieldError[] {
  const hooks = ['postStart', 'preStop'].flatMap((name) => {
    const hook = valueAt(container, `lifecycle.${name}`);
    return hook === undefined ? [] : handlerErrors(`${field}.lifecycle.${name}`, hook, grace);
  });
  const probes = ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((name) =>
    probeErrors(name, ...at(container, field, name), grace),
  );
  return [...hooks, ...probes];
}

function probeErrors(name: string, field: string, probe: unknown, podGrace: unknown): FieldError[] {
  if (probe === undefined) return [];
  const errors = [
    ...handlerErrors(field, probe, podGrace),
    ...COUNTS.flatMap((count) => nonNegative(at(probe, field, count))),
  ];
  const grace = valueAt(probe, 'terminationGracePeriodSeconds');
  if (typeof grace === 'number' && grace <= 0) {
    errors.push(invalidField(`${field}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'));
  }
  const successes = valueAt(probe, 'successThreshold');
  if (name !== 'readinessProbe' && successes !== 1) {
    errors.push(invalidField(`${field}.successThreshold`, successes, 'must be 1'));
  }
  if (name === 'readinessProbe' && grace !== undefined) {
    errors.push(invalidField(`${field}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'));
  }
  return errors;
}
