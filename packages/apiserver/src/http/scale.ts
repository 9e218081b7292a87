import { APPLY_PATCH, patchOf } from '../patch/patch.ts';
import { partFormat, responseIn } from '../representation/encoded-response.ts';
import { methodNotAllowed, StatusError } from '../status.ts';
import type { Paused, Turn } from '../turn.ts';
import { done } from '../turn.ts';
import { applyingScale, readingScale, rescaling } from '../verbs/scale.ts';
import type { Scale } from '../verbs/scale.ts';
import { run } from '../verbs/steps.ts';
import type { Backend } from '../verbs/target.ts';
import { readApplyBody, reportDuplicateKeys } from './apply-body.ts';
import type { Exchange } from './exchange.ts';
import { ofUnknownType, patchedScale, readScale, SCALE_SCHEMA } from './sent-scale.ts';
import { orUnpatched, rejected } from './patch-fault.ts';
import { readPatchBody } from './patch-body.ts';
import type { ObjectRoute } from './route.ts';
import { parseWriteOptions } from './write-options.ts';

/** Serves a request for the scale of an object. @throws {StatusError} */
export async function serveScale(backend: Backend, target: ObjectRoute, exchange: Exchange): Promise<void> {
  const format = partFormat(exchange.header('accept'), target.type);
  exchange.sendEncoded(200, responseIn(format, await execute(backend, target, exchange)));
}

async function execute(backend: Backend, target: ObjectRoute, exchange: Exchange): Promise<Scale> {
  switch (exchange.method) {
    case 'GET':
      return run(readingScale(backend, target));
    case 'PUT': {
      const options = parseWriteOptions(exchange, 'UpdateOptions');
      const body = await readScale(exchange, options).catch((error: unknown) => {
        throw target.type.builtIn || !(error instanceof StatusError) ? error : ofUnknownType(error);
      });
      return run(rescaling(backend, { target, change: () => done(body), ...options }));
    }
    case 'PATCH':
      return exchange.contentType === APPLY_PATCH
        ? applyPatch(backend, target, exchange)
        : mergePatch(backend, target, exchange);
    default:
      throw methodNotAllowed();
  }
}

async function applyPatch(backend: Backend, target: ObjectRoute, exchange: Exchange): Promise<Scale> {
  const options = parseWriteOptions(exchange, 'ApplyOptions');
  const { value: body, duplicates } = await readApplyBody(exchange);
  const afterMerge = (): void => reportDuplicateKeys(exchange, duplicates, options);
  return run(applyingScale(backend, { target, body, afterMerge, ...options }));
}

async function mergePatch(backend: Backend, target: ObjectRoute, exchange: Exchange): Promise<Scale> {
  const { type } = target;
  const patch = patchOf(type, exchange.contentType);
  const options = parseWriteOptions(exchange, 'PatchOptions');
  const patchBody = await readPatchBody(exchange, options);
  const change = function* (scale: Scale, turn: Turn): Paused<unknown> {
    const { value: body, ...faults } = yield* patchBody.parse(turn);
    const value = yield* patch(scale, body, SCALE_SCHEMA, turn);
    if (typeof value !== 'object' || value === null) throw rejected();
    return yield* orUnpatched({ patched: value }, turn, function* () {
      return yield* done(patchedScale(exchange, type, { value, ...faults }, options));
    });
  };
  return run(rescaling(backend, { target, change, ...options }));
}
