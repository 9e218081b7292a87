let second = 0;
let text = '';

/** The present as an object's timestamps have it: RFC 3339 to the second. Made once a second, for every write asks. */
export function now(): string {
  const present = Math.floor(Date.now() / 1000);
  if (present !== second) {
    second = present;
    text = `${new Date(present * 1000).toISOString().slice(0, 19)}Z`;
  }
  return text;
}
