/** The present as an object's timestamps have it: RFC 3339 to the second. */
export function now(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
