import { APPLY_PATCH, patchOf } from '../patch/patch.ts';
import { responseIn, partFormat } from '../representation/encoded-response.ts';
import { methodNotAllowed } from '../status.ts';
import { scalarText, valueAt } from '../resources/resource-type.ts';
import { applyingScale, readingScale, requireScaleTypes, rescaling } from '../verbs/scale.ts';
import type { Scale } from '../verbs/scale.ts';
import { run } from '../verbs/steps.ts';
import { requireName } from '../verbs/update.ts';
import type { Backend } from '../verbs/target.ts';
import { readApplyBody, reportDuplicateKeys } from './apply-body.ts';
import type { Exchange } from './exchange.ts';
import { readImplied } from './implied-kind.ts';
import type { ObjectRoute } from './route.ts';
import { parseWriteOptions } from './write-options.ts';

const SCALE = { apiVersion: 'autoscaling/v1', kind: 'Scale' };

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
      const body = await readImplied(exchange, SCALE);
      requireScaleTypes(body);
      requireName(scalarText(valueAt(body, 'metadata.name')), target.name);
      return run(rescaling(backend, { target, change: () => body, ...options }));
    }
    case 'PATCH': {
      if (exchange.contentType === APPLY_PATCH) {
        const options = parseWriteOptions(exchange, 'ApplyOptions');
        const { value: body, duplicates } = await readApplyBody(exchange);
        const afterMerge = (): void => reportDuplicateKeys(exchange, duplicates, options);
        return run(applyingScale(backend, { target, body, afterMerge, ...options }));
      }
      const options = parseWriteOptions(exchange, 'PatchOptions');
      const patch = patchOf(target.type, exchange.contentType);
      const body = await exchange.body();
      return run(rescaling(backend, { target, change: (scale) => patch(scale, body, target.type.schema), ...options }));
    }
    default:
      throw methodNotAllowed();
  }
}
