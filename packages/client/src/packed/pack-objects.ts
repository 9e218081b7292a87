import { formatJson, parseJson } from '../json/json.ts';
import { namedObjectProblem } from '../kinds/object-shape.ts';
import { BatchWriter } from './batch-writer.ts';
import { ObjectShapeError } from './object-shape-error.ts';
import { PACKED_TYPE, type PackedBatch } from './packed-batch.ts';
import { scanObject } from './scan-object.ts';
import { beginScan } from './scan-value.ts';
import { loadWindow } from './window.ts';

/**
 * Packs decoded objects, for clients that decode, and for tests.
 *
 * @throws {ObjectShapeError} if one of them is not an object with a name.
 * @throws {TypeError} if one of them contains itself.
 */
export function packObjects(type: keyof typeof PACKED_TYPE, objects: readonly unknown[]): PackedBatch {
  const texts = objects.map((object) => Buffer.from(formatJson(object ?? null)));
  return packTexts(type, texts);
}

/** Packs the JSON texts of objects. @throws {ObjectShapeError} if one of them is not that of an object with a name. */
export function packTexts(type: keyof typeof PACKED_TYPE, texts: readonly Buffer[]): PackedBatch {
  const window = loadWindow(texts);
  const writer = new BatchWriter(window);
  beginScan(window.limit);
  let start = 0;
  for (const [index, text] of texts.entries()) {
    const end = start + text.length;
    if (scanObject(window.bytes, start, 0) === end) {
      writer.add(PACKED_TYPE[type]);
    } else {
      const problem = namedObjectProblem(parseJson(text.toString('utf8')), `objects[${index}]`);
      if (problem !== undefined) throw new ObjectShapeError(problem);
      writer.addIrregular(PACKED_TYPE[type], start, end);
    }
    start = end;
  }
  return writer.take() ?? { bytes: Buffer.alloc(0), envelopes: new Int32Array(0), length: 0 };
}
