/** How long work on a burst may keep the thread before everything else on it gets its turn, in milliseconds. */
const BUDGET = 8;
/** How many items are worked on before the time is looked at. */
const STRIDE = 16;

/*
 * There is one event loop per thread, and all who work on bursts share its turns: two hundred clusters that sync at
 * once, or a hundred thousand handlers that are told of one object each, get one budget between them, not one each. So
 * this, alone, is state of the module; and it measures real time, for it is about the real thread.
 */
let measuring = false;
/** The end of this turn's budget, while it is measured. */
let endsAt = 0;
let untilCheck = STRIDE;
/** Whether this turn's budget has been used up. */
let isSpent = false;
const waiting = new Set<() => void>();

/**
 * Calls `work` for each item, and gives I/O and timers their turn whenever a few milliseconds have been used up.
 * Items that are added to an array meanwhile are worked on too.
 *
 * @param work returns `false` to leave the rest.
 */
export async function workInTurns<T>(items: Iterable<T>, work: (item: T) => boolean): Promise<void> {
  measureTurn();
  for (const item of items) {
    if (isSpent) await new Promise<void>((resolve) => waiting.add(resolve));
    const goesOn = work(item);
    countWork();
    if (!goesOn) break;
  }
  // What this one has left of the budget is the next one's.
  if (!isSpent) wakeNext();
}

/** As {@link workInTurns}, of one piece of work that takes its milliseconds by itself. */
export async function workInTurn<T>(work: () => T): Promise<T> {
  measureTurn();
  if (isSpent) await new Promise<void>((resolve) => waiting.add(resolve));
  const result = work();
  untilCheck = 0;
  countWork();
  if (!isSpent) wakeNext();
  return result;
}

/** In milliseconds: what work that can wait takes of the thread, and what it leaves to all other work before it goes on. */
const SPARE_TIME = { work: 1, pause: 9 };
/** One after the other: a thousand caches with something to do in spare time take no more of it than one. */
let spareTime = Promise.resolve();

/**
 * Calls `work` for each item, a millisecond out of ten: for what may take its time, and must not be noticed.
 *
 * @param work returns `false` to leave the rest; it does not throw.
 */
export function workInSpareTime<T>(items: Iterable<T>, work: (item: T) => boolean): Promise<void> {
  spareTime = spareTime.then(async () => {
    let sliceEnd = 0;
    for (const item of items) {
      if (performance.now() >= sliceEnd) {
        // It keeps no process from ending.
        await new Promise((resolve) => setTimeout(resolve, SPARE_TIME.pause).unref());
        sliceEnd = performance.now() + SPARE_TIME.work;
      }
      if (!work(item)) return;
    }
  });
  return spareTime;
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

/** First come, first served. */
function wakeNext(): void {
  const [next] = waiting;
  if (!next) return;
  waiting.delete(next);
  next();
}
