/** Time that bursts of work may block the thread before other work gets a turn, in milliseconds. */
const BUDGET = 2.5;
/** Number of items between two checks of the time. */
const STRIDE = 16;

/*
 * A thread has one event loop, and all bursts of work share its turns: two hundred clusters that sync at the same time,
 * or a hundred thousand handlers that are notified of one object each, share one budget. Therefore this state belongs to
 * the module. It measures real time, because it limits the real thread.
 */
let measuring = false;
/** End of this turn's budget, while it is measured. */
let endsAt = 0;
let untilCheck = STRIDE;
/** Whether this turn's budget is used up. */
let isSpent = false;
const waiting = new Set<() => void>();

/**
 * Calls `work` for each item, and lets I/O and timers run whenever a few milliseconds have been used up. Items that are
 * added to an array in the meantime are included.
 *
 * @param work returns `false` to skip the remaining items. If it returns a promise, the next item waits for it.
 */
export async function workInTurns<T>(items: Iterable<T>, work: (item: T) => boolean | Promise<boolean>): Promise<void> {
  measureTurn();
  for (const item of items) {
    if (isSpent) await new Promise<void>((resolve) => waiting.add(resolve));
    let goesOn = work(item);
    if (typeof goesOn !== 'boolean') {
      goesOn = await goesOn;
      // The time has passed in other work, or in other turns.
      measureTurn();
      untilCheck = 0;
    }
    countWork();
    if (!goesOn) break;
  }
  // The next waiting work may use the rest of the budget.
  if (!isSpent) wakeNext();
}

/**
 * Yields `items`, and lets I/O and timers run whenever a few milliseconds have been used up, also by the caller. Items that
 * are added to an array in the meantime are included.
 */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T, undefined> {
  measureTurn();
  for (const item of items) {
    if (isSpent) await new Promise<void>((resolve) => waiting.add(resolve));
    yield item;
    // The time has passed in the caller's work, or in other turns.
    measureTurn();
    untilCheck = 0;
    countWork();
  }
  // The next waiting work may use the rest of the budget.
  if (!isSpent) wakeNext();
}

/** Like {@link workInTurns}, for one piece of work that takes milliseconds. */
export async function workInTurn<T>(work: () => T): Promise<T> {
  measureTurn();
  if (isSpent) await new Promise<void>((resolve) => waiting.add(resolve));
  const result = work();
  untilCheck = 0;
  countWork();
  if (!isSpent) wakeNext();
  return result;
}

/** Time slices of work in the background, in milliseconds: `work` on the thread, then `pause` for all other work. */
const SPARE_TIME = { work: 1, pause: 9 };
/** The background work so far. It is serialized, so that a thousand caches together use no more time than one. */
let spareTime: Promise<unknown> = Promise.resolve();

/**
 * Calls `work` for each item in the background, for one millisecond out of ten. Items take microseconds: the time is
 * checked once for several of them.
 *
 * @param work returns `false` to skip the remaining items.
 * @throws the errors of `items` and `work`. Other background work continues.
 */
export function workInSpareTime<T>(items: Iterable<T>, work: (item: T) => boolean): Promise<void> {
  const done = spareTime.then(() => workInSlices(items, work));
  spareTime = done.catch(() => undefined);
  return done;
}

async function workInSlices<T>(items: Iterable<T>, work: (item: T) => boolean): Promise<void> {
  let sliceEnd = 0;
  let left = 0;
  for (const item of items) {
    if (left === 0) {
      left = STRIDE;
      if (performance.now() >= sliceEnd) {
        // Unreferenced, so that the timer does not keep the process running.
        await new Promise((resolve) => setTimeout(resolve, SPARE_TIME.pause).unref());
        sliceEnd = performance.now() + SPARE_TIME.work;
      }
    }
    left -= 1;
    if (!work(item)) return;
  }
}

function measureTurn(): void {
  if (measuring) return;
  measuring = true;
  endsAt = performance.now() + BUDGET;
  untilCheck = STRIDE;
  isSpent = false;
  setImmediate(beginTurn);
}

function countWork(): void {
  untilCheck -= 1;
  if (untilCheck > 0) return;
  untilCheck = STRIDE;
  isSpent = performance.now() >= endsAt;
}

function beginTurn(): void {
  measuring = false;
  isSpent = false;
  if (waiting.size === 0) return;
  measureTurn();
  wakeNext();
}

/** Wakes the work that has waited longest. */
function wakeNext(): void {
  const [next] = waiting;
  if (!next) return;
  waiting.delete(next);
  next();
}
