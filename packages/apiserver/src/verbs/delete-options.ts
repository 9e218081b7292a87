import { DecodeError } from '../decode-error.ts';
import { builtInSchema } from '../schema/built-in-schema.ts';
import { goDecode } from '../schema/go-decode.ts';
import type { FieldError, StatusError } from '../status.ts';
import { badRequest, invalid, invalidField, unsupportedField } from '../status.ts';
import type { DeleteOptions } from './delete.ts';
import { propagationPolicies } from './propagation.ts';
import { integerOf } from './query-numbers.ts';

/** Fields of a body after it was decoded. */
interface DeleteBody {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: string;
  readonly dryRun?: readonly string[];
}

const BODY = { kind: 'DeleteOptions', version: 'v1', schema: builtInSchema('DeleteOptions') };

/** Reads the options of a DELETE from its body and its query. @throws {StatusError} 400, or 422 for invalid options. */
export function parseDeleteOptions(body: unknown, query: URLSearchParams): DeleteOptions {
  const { gracePeriodSeconds, preconditions, dryRun, ...sent } = decode(body);
  const dryRuns = [...(dryRun ?? []), ...query.getAll('dryRun')];
  if (dryRuns.some((value) => value !== 'All')) throw invalidOptions(unsupportedField('dryRun', dryRuns, ['All']));
  const wanted = sent.propagationPolicy ?? query.get('propagationPolicy') ?? undefined;
  const policy = propagationPolicies.optional().safeParse(wanted);
  if (!policy.success)
    throw invalidOptions(unsupportedField('propagationPolicy', wanted, [...propagationPolicies.options, 'nil']));
  const orphan = sent.orphanDependents ?? query.get('orphanDependents');
  if (wanted !== undefined && orphan !== null) {
    const detail = 'orphanDependents and deletionPropagation cannot be both set';
    throw invalidOptions(invalidField('propagationPolicy', wanted, detail));
  }
  return {
    uid: preconditions?.uid,
    resourceVersion: preconditions?.resourceVersion,
    gracePeriodSeconds: gracePeriod(gracePeriodSeconds ?? integerOf(query, 'gracePeriodSeconds')),
    sentPolicy: policy.data,
    propagationPolicy: policy.data ?? (String(orphan) === 'true' ? 'Orphan' : 'Background'),
    isPolicySet: wanted !== undefined || orphan !== null,
    cascades: String(orphan) === 'false',
    dryRun: dryRuns.length > 0,
  };
}

/** @throws {StatusError} 400 if a body is of another kind, or a field has another type. */
function decode(body: unknown): DeleteBody {
  if (typeof body !== 'object' || body === null) return {};
  const { kind = '', apiVersion = '' } = body as DeleteBody;
  if (kind !== '' && kind !== 'DeleteOptions') {
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  try {
    return goDecode(BODY, body);
  } catch (error) {
    // The decoder of options does not name them.
    throw error instanceof DecodeError ? badRequest(error.why) : error;
  }
}

/** Upstream corrects a negative period to the shortest one. */
function gracePeriod(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds < 0 ? 1 : seconds;
}

function invalidOptions(error: FieldError): StatusError {
  return invalid({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [error]);
}
