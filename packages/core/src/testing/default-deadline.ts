/** Default deadline of a wait, in milliseconds. It only delays the report of a failure. */
export const DEFAULT_DEADLINE = 30_000;
