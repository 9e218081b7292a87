import { shortened } from '../text/shortened.ts';

/** The `Status` object in an API server's error response. */
export interface Status {
  apiVersion?: string;
  kind?: string;
  metadata?: Record<string, unknown>;
  status?: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  code?: number;
  details?: StatusDetails;
}

/** Details of a {@link Status}. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  retryAfterSeconds?: number;
  causes?: StatusCause[];
}

/** One cause in {@link StatusDetails}, such as an invalid field. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** Maximum size of a reason or a name, in bytes. No name in Kubernetes is longer. */
const MAX_NAME_BYTES = 256;
/** Maximum number of causes. */
const MAX_CAUSES = 32;

type Fields = Readonly<Record<string, unknown>>;

/** Reports whether a document declares itself as a `Status`. */
export function isStatus(value: unknown): value is Fields & { readonly kind: 'Status' } {
  return isFields(value) && value['kind'] === 'Status';
}

/** The fields of a `Status` that an error uses. */
export type StatusSummary = Pick<Status, 'message' | 'reason' | 'code' | 'details'>;

/** Shortens a text to a number of bytes. Default: the limit of a message. */
type Shorten = (text: string, maxBytes?: number) => string;

/**
 * Returns the fields of `value` that describe an error. Ignores fields of a wrong type, because a server that sends
 * them has still refused the request.
 */
export function statusOf(value: unknown, shorten: Shorten = (text) => text): StatusSummary {
  const { message, reason, code, details } = isFields(value) ? value : {};
  return {
    ...text('message', message, shorten),
    ...text('reason', reason, shorten, MAX_NAME_BYTES),
    ...(Number.isInteger(code) && { code: code as number }),
    ...(isFields(details) && { details: detailsOf(details, shorten) }),
  };
}

/** Like {@link statusOf}, within the limits of an error: 1 KiB for each message. */
export function boundedStatus(value: unknown): StatusSummary {
  return statusOf(value, shortened);
}

function detailsOf(details: Fields, shorten: Shorten): StatusDetails {
  const { name, group, kind, uid, retryAfterSeconds: seconds, causes } = details;
  return {
    ...text('name', name, shorten, MAX_NAME_BYTES),
    ...text('group', group, shorten, MAX_NAME_BYTES),
    ...text('kind', kind, shorten, MAX_NAME_BYTES),
    ...text('uid', uid, shorten, MAX_NAME_BYTES),
    ...(typeof seconds === 'number' && { retryAfterSeconds: seconds }),
    ...(Array.isArray(causes) && {
      causes: causes
        .slice(0, MAX_CAUSES)
        .filter(isFields)
        .map((cause) => causeOf(cause, shorten)),
    }),
  };
}

function causeOf({ reason, message, field }: Fields, shorten: Shorten): StatusCause {
  return {
    ...text('reason', reason, shorten, MAX_NAME_BYTES),
    ...text('message', message, shorten),
    ...text('field', field, shorten, MAX_NAME_BYTES),
  };
}

function text<Name extends string>(
  name: Name,
  value: unknown,
  shorten: Shorten,
  maxBytes?: number,
): { readonly [N in Name]?: string } {
  return (typeof value === 'string' ? { [name]: shorten(value, maxBytes) } : {}) as { readonly [N in Name]?: string };
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
