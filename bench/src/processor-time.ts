/** Returns the processor time that this process has used so far, with all of its threads, in milliseconds. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
