import { parseJson, UnreadableBody } from '../http/readable-body.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import { jsonType } from '../resources/metadata-types.ts';
import { internalError } from '../status.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import { WebhookCallError } from '../webhooks/webhook-client.ts';

/** Reads the patch of a webhook. @throws {WebhookCallError} */
export function decodePatch(text: string): readonly unknown[] {
  const refuse = (why: string): never => {
    throw new WebhookCallError(`received undecodable patch in webhook response: ${why}`);
  };
  let patch: unknown;
  try {
    patch = parseJson(text);
  } catch (error) {
    if (!(error instanceof UnreadableBody)) throw error;
    return refuse(error.message.slice(error.message.lastIndexOf(': ') + 2));
  }
  if (patch === null) return [];
  if (Array.isArray(patch)) {
    const wrong: unknown = patch.find((item) => typeof item !== 'object' || Array.isArray(item));
    if (wrong === undefined) return patch;
    return refuse(`json: cannot unmarshal ${jsonType(wrong)} into Go value of type jsonpatch.Operation`);
  }
  return refuse(`json: cannot unmarshal ${typeof patch} into Go value of type jsonpatch.Patch`);
}

/** Applies the patch of a webhook. @throws {StatusError} 500 with the operation that failed. */
export function applyPatch(object: ApiObject, operations: readonly unknown[]): ApiObject {
  let patched: unknown = object;
  for (const operation of operations) {
    try {
      patched = jsonPatch(patched, [operation]);
    } catch {
      throw internalError(new Error(failure(operation, patched)));
    }
  }
  if (typeof patched !== 'object' || patched === null || Array.isArray(patched)) {
    throw internalError(new Error(`json: cannot unmarshal ${jsonType(patched)} into Go value of type ${object.kind}`));
  }
  const { metadata } = patched as { readonly metadata?: unknown };
  // Go decodes metadata that a webhook removed as an empty struct.
  return { ...patched, metadata: metadata ?? {} } as ApiObject;
}

/** (Upstream: the messages of `json-patch`.) */
function failure(operation: unknown, document: unknown): string {
  const { op = '', path = '' } = (operation ?? {}) as { readonly op?: string; readonly path?: string };
  const steps = path.split('/').slice(1).map(unescape);
  const key = steps.pop() ?? '';
  const parent = steps.reduce<unknown>((value, step) => child(value, step), document);
  const isMissing = typeof parent !== 'object' || parent === null;
  switch (op) {
    case 'add':
      if (isMissing) return `add operation does not apply: doc is missing path: "${path}": missing value`;
      return `error in add for path: '${path}': Unable to access invalid index: ${key}: invalid index referenced`;
    case 'remove':
      if (isMissing) return `remove operation does not apply: doc is missing path: "${path}": missing value`;
      return `error in remove for path: '${path}': Unable to remove nonexistent key: ${key}: missing value`;
    case 'replace':
      return `replace operation does not apply: doc is missing ${isMissing ? 'path' : 'key'}: ${path}: missing value`;
    case 'test':
      return `testing value ${path} failed: test failed`;
    case 'move':
    case 'copy':
      return `${op} operation does not apply: doc is missing ${op === 'move' ? 'from ' : ''}path: ${path}: missing value`;
    default:
      return `Unexpected kind: ${op || 'unknown'}`;
  }
}

function unescape(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function child(value: unknown, step: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[step];
}
