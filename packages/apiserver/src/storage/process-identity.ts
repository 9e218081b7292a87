import { readFileSync } from 'node:fs';

/** Number of clock ticks in a second, which Linux reports to programs whatever the kernel uses. */
const TICKS = 100;

/** Fields of `/proc/<pid>/stat` after the name of the program, up to the start time. */
const START_FIELD = 19;

/**
 * Returns an identifier of a running process that another one with the same id does not have: the boot and the start
 * time. `undefined` if the system does not report them.
 */
export function processIdentity(pid: number): string | undefined {
  const boot = read('/proc/sys/kernel/random/boot_id')?.trim();
  const start = startTicks(pid);
  return boot === undefined || start === undefined ? undefined : `${boot}.${start}`;
}

/** Returns when a running process started, in milliseconds since 1970, or `undefined` if the system does not report it. */
export function processStart(pid: number): number | undefined {
  const [, boot] = /^btime (\d+)$/mu.exec(read('/proc/stat') ?? '') ?? [];
  const start = startTicks(pid);
  return boot === undefined || start === undefined ? undefined : (Number(boot) + Number(start) / TICKS) * 1000;
}

/** Returns the start time of a process in clock ticks after the boot. */
function startTicks(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name of the program is in parentheses, and may contain any character.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[START_FIELD];
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Other systems have no such file, and a process may have ended.
    return undefined;
  }
}
