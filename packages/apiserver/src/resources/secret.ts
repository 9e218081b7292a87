import { DecodeError } from '../decode-error.ts';
import type { FieldError } from '../status.ts';
import { immutableDataErrors } from './config-map.ts';
import { dataKeyErrors, dataSizeErrors } from './data-keys.ts';
import { secretTypeErrors } from './validation/secret-type.ts';
import type { Paused } from '../turn.ts';
import { Turn } from '../turn.ts';
import type { Change } from './resource-type.ts';

const base64Format = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Moves the write-only `stringData` into `data`, and sets the default type `Opaque`. */
export function prepareSecret({ object }: Change): void {
  const { stringData, ...rest } = object;
  const data: Record<string, unknown> = { ...(rest['data'] as object | null | undefined) };
  for (const value of Object.values(data)) {
    if (typeof value === 'string' && base64Format.test(value)) continue;
    const at = /^[A-Za-z0-9+/]*/.exec(String(value))?.[0].length ?? 0;
    throw new DecodeError({ kind: 'Secret', version: 'v1' }, `illegal base64 data at input byte ${at}`);
  }
  for (const [key, value] of Object.entries(stringData ?? {})) {
    data[key] = Buffer.from(String(value)).toString('base64');
  }
  delete object['stringData'];
  if (Object.keys(data).length > 0) object['data'] = data;
  object['type'] ||= 'Opaque';
}

export function* secretErrors(change: Change): Paused<FieldError[]> {
  const turn = new Turn();
  const binaries = change.object['data'] as object | undefined;
  return [
    ...(yield* dataKeyErrors(change.object, 'data', turn)),
    ...(yield* dataSizeErrors('data', { binaries }, turn)),
    ...secretTypeErrors(change),
    ...(yield* immutableDataErrors(change, ['data'], turn)),
  ];
}
