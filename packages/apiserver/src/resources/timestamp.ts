let second = 0;
let text = '';

/** Returns the current time as RFC 3339 with seconds. Computed once a second, because every write needs it. */
export function now(): string {
  const present = Math.floor(Date.now() / 1000);
  if (present !== second) {
    second = present;
    text = timestamp(present * 1000);
  }
  return text;
}

/** Returns a time, in milliseconds since 1970, as RFC 3339 with seconds. */
export function timestamp(time: number): string {
  return `${new Date(time).toISOString().slice(0, 19)}Z`;
}
