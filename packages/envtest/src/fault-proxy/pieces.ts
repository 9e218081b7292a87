import { setTimeout as sleep } from 'node:timers/promises';
import type { ByteFault } from './fault.ts';
import type { ActiveFault } from './rulebook.ts';

/** The stream must end with a reset. */
export class ResetError extends Error {
  override readonly name = 'ResetError';
}

/** Interval at which a throttled stream forwards bytes, in milliseconds. */
const THROTTLE_TICK = 50;

export interface PiecesOptions {
  /** Returns the faults that apply now. */
  readonly activeFaults: () => readonly ActiveFault<ByteFault>[];
  /** Aborts every wait. */
  readonly signal: AbortSignal;
}

/**
 * Yields the bytes of `source` after the faults have been applied.
 *
 * @throws {ResetError} if a fault resets the stream.
 */
export async function* pieces(
  source: AsyncIterable<Uint8Array>,
  { activeFaults, signal }: PiecesOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of source) {
    const active = activeFaults();
    if (active.length === 0) {
      yield chunk;
      continue;
    }
    for (const { fault, over } of active) {
      if (fault.type === 'stall') await waitFor(Infinity, [over, signal]);
      if (fault.type === 'delay') await waitFor(fault.duration, [over, signal]);
    }
    const { bytes, end } = cut(chunk, active);
    for (const { piece, pause, over } of parts(bytes, active)) {
      yield piece;
      if (pause > 0) await waitFor(pause, over ? [over, signal] : [signal]);
    }
    if (end === 'reset') throw new ResetError('stream reset by a fault');
    if (end === 'fin') return;
  }
}

/** Cuts `chunk` where a byte-counting fault applies, and reports how the stream then ends. */
function cut(
  chunk: Uint8Array,
  active: readonly ActiveFault<ByteFault>[],
): { readonly bytes: Uint8Array; readonly end?: 'reset' | 'fin' } {
  let bytes = chunk;
  let end: 'reset' | 'fin' | undefined;
  for (const activeFault of active) {
    const { fault } = activeFault;
    const from = 'after' in fault ? fault.after - activeFault.passed : fault.type === 'drop' ? 0 : Infinity;
    activeFault.passed += chunk.length;
    if (from > bytes.length || (from === bytes.length && fault.type === 'corrupt')) continue;
    const at = Math.max(from, 0);
    if (fault.type === 'corrupt') {
      if (from >= 0) bytes = corrupted(bytes, at);
      continue;
    }
    bytes = bytes.subarray(0, at);
    if (fault.type === 'reset') end = 'reset';
    if (fault.type === 'truncate') end = 'fin';
  }
  return { bytes, ...(end && { end }) };
}

/** Replaces one byte with NUL, which is invalid in JSON. */
function corrupted(bytes: Uint8Array, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[at] = bytes[at] === 0 ? 0xff : 0;
  return copy;
}

interface Part {
  readonly piece: Uint8Array;
  /** Time until the next piece, in milliseconds. */
  readonly pause: number;
  /** Ends the pause early. */
  readonly over?: AbortSignal;
}

function* parts(bytes: Uint8Array, active: readonly ActiveFault<ByteFault>[]): Generator<Part> {
  let size = Infinity;
  let slowest: { readonly bytesPerSecond: number; readonly over: AbortSignal } | undefined;
  for (const { fault, over } of active) {
    if (fault.type === 'split') size = Math.min(size, fault.size);
    if (fault.type !== 'throttle') continue;
    const { bytesPerSecond } = fault;
    size = Math.min(size, Math.max(1, Math.floor((bytesPerSecond * THROTTLE_TICK) / 1000)));
    if (!slowest || bytesPerSecond < slowest.bytesPerSecond) slowest = { bytesPerSecond, over };
  }
  for (let start = 0; start < bytes.length; start += size) {
    const piece = bytes.subarray(start, start + size);
    yield slowest
      ? { piece, pause: (piece.length / slowest.bytesPerSecond) * 1000, over: slowest.over }
      : { piece, pause: 0 };
  }
}

/** Resolves after `duration` ms, or when one of the signals aborts. */
async function waitFor(duration: number, signals: readonly AbortSignal[]): Promise<void> {
  const signal = AbortSignal.any([...signals]);
  if (signal.aborted) return;
  if (duration === Infinity) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    return;
  }
  await sleep(duration, undefined, { signal, ref: false }).catch(() => undefined);
}
