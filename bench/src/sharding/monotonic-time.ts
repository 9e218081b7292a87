/** Returns the machine's monotonic clock in milliseconds. It is the same for all processes of the machine. */
export function monotonicTime(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
