import { codec } from '../protobuf/codec.ts';
import type { ApiObject, JsonObject } from '../storage/stored-object.ts';

/** Phases that a status without one has (upstream: `pkg/apis/core/v1/defaults.go`). */
const FIRST_PHASES: Readonly<Record<string, string>> = {
  Namespace: 'Active',
  PersistentVolume: 'Pending',
  PersistentVolumeClaim: 'Pending',
};

/**
 * Returns an object of a built-in kind with its status as the Go types encode it: fields that Go always writes, with
 * the zero value of their types, and without the zero values that Go omits. The protobuf codec knows both, and must be loaded.
 */
export function withGoStatus(object: ApiObject): ApiObject {
  const { apiVersion, kind, status, ...rest } = object;
  const { messages, decodeMessage, encodeMessage } = codec();
  const message = messages.ofKind(apiVersion, kind);
  if (!message) return object;
  const decoded = decodeMessage(message, encodeMessage(message, { status: status ?? {} })) as JsonObject;
  const encoded = decoded['status'] as JsonObject | undefined;
  const phase = Object.hasOwn(FIRST_PHASES, kind) ? FIRST_PHASES[kind] : undefined;
  const complete = phase === undefined ? encoded : { ...encoded, phase: encoded?.['phase'] ?? phase };
  return { apiVersion, kind, ...rest, ...(complete !== undefined && { status: complete }) };
}
