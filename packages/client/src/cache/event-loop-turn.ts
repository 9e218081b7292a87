/** How long work on a burst may keep the thread before everything else on it gets its turn, in milliseconds. */
const BUDGET = 8;
/** How many items are worked on before the time is looked at. */
const STRIDE = 16;

/*
 * There is one event loop per thread, and all who work on bursts share its turns: two hundred clusters that sync at
 * once get one budget between them, not one each. So this, alone, is state of the module; and it measures real time,
 * for it is about the real thread.
 */
let measuring = false;
/** The end of this turn's budget, while it is measured. */
let endsAt = 0;
const waiting: (() => void)[] = [];

/**
 * Calls `work` for each item, and gives I/O and timers their turn whenever a few milliseconds have been used up.
 * Items that are added to an array meanwhile are worked on too.
 *
 * @param work returns `false` to leave the rest.
 */
export async function workInTurns<T>(items: Iterable<T>, work: (item: T) => boolean): Promise<void> {
  measureTurn();
  let untilCheck = STRIDE;
  for (const item of items) {
    if (!work(item)) return;
    if (--untilCheck > 0) continue;
    untilCheck = STRIDE;
    if (performance.now() >= endsAt) await new Promise<void>((resolve) => waiting.push(resolve));
  }
}

function measureTurn(): void {
  if (measuring) return;
  measuring = true;
  endsAt = performance.now() + BUDGET;
  setImmediate(wakeNext);
}

/** Wakes one worker per turn, first come, first served. */
function wakeNext(): void {
  measuring = false;
  const next = waiting.shift();
  if (next === undefined) return;
  measureTurn();
  next();
}
