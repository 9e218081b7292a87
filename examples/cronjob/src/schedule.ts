import { Cron } from 'croner';

/** Whether a text is a schedule of cron with five fields, and runs at least once. */
export function isSchedule(text: string): boolean {
  try {
    return nextRun(text, new Date()) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the first run after `time`. Times are in UTC. */
export function nextRun(schedule: string, time: Date): Date | undefined {
  return cronOf(schedule).nextRun(time) ?? undefined;
}

/** Returns the latest run after `since`, up to and including `time`. */
export function missedRun(schedule: string, since: Date, time: Date): Date | undefined {
  // Croner returns runs before the time that it is given.
  const [latest] = cronOf(schedule).previousRuns(1, new Date(time.getTime() + 1));
  return latest && latest > since ? latest : undefined;
}

function cronOf(schedule: string): Cron {
  return new Cron(schedule, { mode: '5-part', timezone: 'UTC' });
}
