import { goQuote } from './go-quote.ts';
import { goNumber } from './schema/go-number.ts';
import type { RequestInfo } from './access/request-info.ts';

/** A field or circumstance that an error is about. */
export interface StatusCause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
}

/** The `Status` object of a response. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: { readonly continue?: string };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

/** Identifies a resource in messages: `configmaps`, `deployments.apps`. */
export interface GroupResource {
  readonly group: string;
  readonly plural: string;
}

/** Identifies a kind in messages: `ConfigMap`, `Deployment.apps`. */
export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

/** An error response. Messages and reasons follow `k8s.io/apimachinery/pkg/api/errors`. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly code: number;
  readonly reason: string | undefined;
  readonly details: StatusDetails | undefined;
  readonly metadata: Status['metadata'];

  constructor(
    code: number,
    reason: string | undefined,
    message: string,
    details?: StatusDetails,
    metadata: Status['metadata'] = {},
  ) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.metadata = metadata;
  }

  toStatus(): Status {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: this.metadata,
      status: 'Failure',
      message: this.message,
      ...(this.reason && { reason: this.reason }),
      ...(this.details && { details: this.details }),
      code: this.code,
    };
  }
}

const qualified = (name: string, group: string): string => (group === '' ? name : `${name}.${group}`);

const resourceDetails = ({ group, plural }: GroupResource, name: string): StatusDetails => ({
  ...(name !== '' && { name }),
  ...(group !== '' && { group }),
  kind: plural,
});

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

/** 403: the user does not have the permission. */
export function forbidden(user: string, request: RequestInfo): StatusError {
  const who = `User ${JSON.stringify(user)} cannot ${request.verb}`;
  if ('path' in request)
    return new StatusError(403, 'Forbidden', `forbidden: ${who} path ${JSON.stringify(request.path)}`, {});
  const { group, resource, subresource, namespace, name } = request;
  const what = JSON.stringify(subresource === '' ? resource : `${resource}/${subresource}`);
  const where = namespace === '' ? 'at the cluster scope' : `in the namespace ${JSON.stringify(namespace)}`;
  const subject = qualified(resource, group) + (name === '' ? '' : ` ${JSON.stringify(name)}`);
  return new StatusError(
    403,
    'Forbidden',
    `${subject} is forbidden: ${who} resource ${what} in API group ${JSON.stringify(group)} ${where}`,
    resourceDetails({ group, plural: resource }, name),
  );
}

/** 403: something other than the permissions of the user forbids the request. */
export function forbiddenBy(resource: GroupResource, name: string, why: string): StatusError {
  return new StatusError(
    403,
    'Forbidden',
    `${qualified(resource.plural, resource.group)} ${JSON.stringify(name)} is forbidden: ${why}`,
    resourceDetails(resource, name),
  );
}

export function notFound(resource: GroupResource, name: string): StatusError {
  return new StatusError(
    404,
    'NotFound',
    `${qualified(resource.plural, resource.group)} "${name}" not found`,
    resourceDetails(resource, name),
  );
}

/** @param circumstance text before the message. */
export function alreadyExists(resource: GroupResource, name: string, circumstance = ''): StatusError {
  return new StatusError(
    409,
    'AlreadyExists',
    `${circumstance}${qualified(resource.plural, resource.group)} "${name}" already exists`,
    resourceDetails(resource, name),
  );
}

export function conflict(resource: GroupResource, name: string, why: string): StatusError {
  return new StatusError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(resource.plural, resource.group)} "${name}": ${why}`,
    resourceDetails(resource, name),
  );
}

/** Returns the conflict of a write that is based on an older version of the object. */
export function modified(resource: GroupResource, name: string): StatusError {
  const why = 'the object has been modified; please apply your changes to the latest version and try again';
  return conflict(resource, name, why);
}

/**
 * 409: an apply would change fields of other managers. Messages follow `k8s.io/apimachinery/pkg/util/managedfields`.
 */
export function applyConflict(conflicts: readonly { readonly manager: string; readonly field: string }[]): StatusError {
  const [first] = conflicts;
  const managers = [...new Set(conflicts.map(({ manager }) => manager))];
  const fieldsOf = (manager: string): string =>
    conflicts.flatMap((conflict) => (conflict.manager === manager ? [`\n- ${conflict.field}`] : [])).join('');
  const message =
    conflicts.length === 1
      ? `Apply failed with 1 conflict: conflict with ${first?.manager}: ${first?.field}`
      : `Apply failed with ${conflicts.length} conflicts: ${managers.map((manager) => `conflicts with ${manager}:${fieldsOf(manager)}`).join('\n')}`;
  return new StatusError(409, 'Conflict', message, {
    causes: conflicts.map(({ manager, field }) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with ${manager}`,
      field,
    })),
  });
}

/** 500: a configuration does not match the schema. A real server reports no reason. */
export function typedPatchError(config: ObjectIdentity, message: string): StatusError {
  return plainError(`failed to create typed patch object (${identityText(config)}): ${message}`);
}

/** 500: an object does not match the schema that its definition now has, or that of the version of the request. */
export function typedLiveError(live: ObjectIdentity, message: string): StatusError {
  return plainError(`failed to create typed live object (${identityText(live)}): ${message}`);
}

/** 500: like {@link typedLiveError}, for an object whose fields have no managers. */
export function unownedLiveError(live: ObjectIdentity, message: string): StatusError {
  return plainError(
    `failed to create manager for existing fields: failed to convert new object (${identityText(live)}) to smd typed: ${message}`,
  );
}

/** 500: an applied object cannot be decoded into the Go type of its kind. */
export function conversionError(object: ObjectIdentity, message: string): StatusError {
  const { apiVersion, kind } = object;
  return plainError(
    `failed to convert new object (${identityText(object)}) to proper version: unable to convert unstructured object to ${kindText(apiVersion, kind)}: ${message}`,
  );
}

const NO_SCALE_OF_CUSTOM_RESOURCE = 'request to convert CR to an invalid group/version: autoscaling/v1';

/**
 * 500: an apply of the scale of a custom resource whose replicas have no manager. A real server cannot convert such a
 * scale, so it accepts only an apply that changes nothing.
 */
export function unownedScale(): StatusError {
  return plainError(
    `failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: ${NO_SCALE_OF_CUSTOM_RESOURCE}`,
  );
}

/** 500: an apply changes the scale of a custom resource, see {@link unownedScale}. */
export function unconvertibleScale(config: ObjectIdentity): StatusError {
  return plainError(
    `failed to convert new object (${identityText(config)}) to proper version: ${NO_SCALE_OF_CUSTOM_RESOURCE}`,
  );
}

/** Fields of an object that messages name. */
export interface ObjectIdentity {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown } | null | undefined;
}

function identityText({ apiVersion, kind, metadata }: ObjectIdentity): string {
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  return `${text(metadata?.namespace)}/${text(metadata?.name)}; ${kindText(apiVersion, kind)}`;
}

/** Returns a kind with its version as Go prints it: `/v1, Kind=Pod`. */
export function kindText(apiVersion: string, kind: string): string {
  return `${apiVersion.includes('/') || apiVersion === '' ? apiVersion || '/' : `/${apiVersion}`}, Kind=${kind}`;
}

/** 500: a created object has a resourceVersion. A real server reports no reason. */
export function versionOnCreate(): StatusError {
  return plainError('resourceVersion should not be set on objects to be created');
}

/** Returns an error with a code, but without a reason. */
function plainError(message: string): StatusError {
  return new StatusError(500, undefined, message);
}

export function namespaceTerminating(resource: GroupResource, name: string, namespace: string): StatusError {
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  return new StatusError(
    403,
    'Forbidden',
    `${qualified(resource.plural, resource.group)} "${name}" is forbidden: ${why}`,
    {
      ...resourceDetails(resource, name),
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    },
  );
}

/** An error in a field of an object. Messages follow `k8s.io/apimachinery/pkg/util/validation/field`. */
export interface FieldError {
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueNotSupported'
    | 'FieldValueDuplicate'
    | 'FieldValueNotFound'
    | 'FieldValueTypeInvalid'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'InternalError';
  readonly field: string;
  readonly message: string;
}

/** Returns JSON as Go's `json.Marshal` writes it, which escapes characters of HTML. */
function goJson(value: unknown): string {
  // The smallest 64-bit integer, to which Go converts larger numbers.
  if (value === -(2 ** 63)) return String(-(2n ** 63n));
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

export function requiredField(field: string, detail: string): FieldError {
  return { reason: 'FieldValueRequired', field, message: `Required value${detail && `: ${detail}`}` };
}

export function invalidField(field: string, value: unknown, detail: string): FieldError {
  const shown = typeof value === 'string' ? goQuote(value) : goJson(value ?? null);
  return { reason: 'FieldValueInvalid', field, message: `Invalid value: ${shown}: ${detail}` };
}

export function forbiddenField(field: string, detail: string): FieldError {
  return { reason: 'FieldValueForbidden', field, message: `Forbidden: ${detail}` };
}

export function unsupportedField(field: string, value: unknown, supported: readonly string[]): FieldError {
  const values = supported.map((text) => JSON.stringify(text)).join(', ');
  return {
    reason: 'FieldValueNotSupported',
    field,
    message: `Unsupported value: ${typeof value === 'number' ? goNumber(value) : JSON.stringify(value)}: supported values: ${values}`,
  };
}

export function duplicateField(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueDuplicate', field, message: `Duplicate value: ${JSON.stringify(value)}` };
}

export function notFoundField(field: string, value: unknown): FieldError {
  return { reason: 'FieldValueNotFound', field, message: `Not found: ${JSON.stringify(value)}` };
}

/** 404: the group is served, but the path does not exist in it. */
export function noSuchResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** 422: the object is invalid. */
export function invalid(kind: GroupKind, name: string, errors: readonly FieldError[]): StatusError {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const all = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new StatusError(422, 'Invalid', `${qualified(kind.kind, kind.group)} "${name}" is invalid: ${all}`, {
    ...(name !== '' && { name }),
    ...(kind.group !== '' && { group: kind.group }),
    ...(kind.kind !== '' && { kind: kind.kind }),
    causes: errors.map(({ reason, field, message }) => ({ reason, message, field })),
  });
}

/** 410: the requested version is no longer in the history. */
export function expired(message: string): StatusError {
  return new StatusError(410, 'Expired', message);
}

/** 504: the store has not reached the requested version. */
export function tooLargeResourceVersion(wanted: number | bigint, current: number): StatusError {
  return new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${wanted}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

export function methodNotAllowed(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );
}

/** 504: the time of a request is over. */
export function requestTimeout(): StatusError {
  const message = 'Timeout: request did not complete within requested timeout - context deadline exceeded';
  return new StatusError(504, 'Timeout', message, {});
}

/** 501: a real server forwards the request to a program that does not exist here. */
export function notImplemented(message: string): StatusError {
  return new StatusError(501, 'NotImplemented', message);
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const list = accepted.join(', ');
  const message = `the body of the request was in an unknown format - accepted media types include: ${list}`;
  return new StatusError(415, 'UnsupportedMediaType', message);
}

export function notAcceptable(accepted: readonly string[]): StatusError {
  const list = accepted.join(', ');
  return new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${list}`);
}

export function requestTooLarge(limit: number): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);
}

/** 429: the request is refused temporarily. */
export function tooManyRequests(message: string, details: StatusDetails): StatusError {
  return new StatusError(429, 'TooManyRequests', message, details);
}

export function internalError(error: unknown): StatusError {
  const message = error instanceof Error ? error.message : String(error);
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, {
    causes: [{ message }],
  });
}
