/** Formats a time as `metav1.MicroTime`. @param wallTime milliseconds since the Unix epoch. */
export function microTime(wallTime: number): string {
  return new Date(wallTime).toISOString().replace('Z', '000Z');
}
