import { processorTime } from '../processor-time.ts';
import { serveCommands } from '../program.ts';
import type { SampleName } from '../samples/sample.ts';
import { kindAt, samples } from '../samples/sample.ts';
import { FIRST_VERSION } from '../server/object-shelf.ts';

/** Number of runs of a short measurement. The result is their mean. */
const COPIES = 200;

let texts: readonly Buffer[] = [];
/** One list of each kind. */
let lists: readonly Buffer[] = [];

/** The floors: what a program does that only parses. */
const commands = {
  load(sample: SampleName, objects: number): void {
    const kinds = samples[sample];
    const items = kinds.map((): Buffer[] => []);
    texts = Array.from({ length: objects }, (_, index) => {
      const text = Buffer.from(kindAt(sample, index).json(index, FIRST_VERSION + index));
      items[index % kinds.length]?.push(text);
      return text;
    });
    lists = items.map(listText);
  },

  /** @returns the processor time to parse the lists, in milliseconds. */
  parseLists(): number {
    globalThis.gc?.();
    const started = processorTime();
    for (const list of lists) JSON.parse(list.toString());
    return processorTime() - started;
  },

  /** @returns the processor time to parse the objects one by one, in milliseconds. */
  parseEach(): number {
    globalThis.gc?.();
    const started = processorTime();
    const kept = texts.map((text) => JSON.parse(text.toString()) as unknown);
    if (kept.length !== texts.length) throw new Error('objects are missing');
    return processorTime() - started;
  },

  /** @returns the processor time to copy the values of a Map of the same size, in milliseconds. */
  copyMap(): number {
    const map = new Map(texts.entries());
    globalThis.gc?.();
    const started = processorTime();
    let copied = 0;
    for (let copy = 0; copy < COPIES; copy++) copied += [...map.values()].length;
    if (copied !== COPIES * texts.length) throw new Error('values are missing');
    return (processorTime() - started) / COPIES;
  },
};

/** Commands of the parser. */
export type ParserCommands = typeof commands;

function listText(items: readonly Buffer[]): Buffer {
  const comma = Buffer.from(',');
  return Buffer.concat([
    Buffer.from(`{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"${FIRST_VERSION}"},"items":[`),
    ...items.flatMap((item, position) => (position === 0 ? [item] : [comma, item])),
    Buffer.from(']}'),
  ]);
}

serveCommands(commands);
