/** Name of a Secret (RFC 1123). */
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = new RegExp(`^(?=.{1,253}$)${LABEL}(\\.${LABEL})*$`);

/** Returns what is wrong with the name of a cluster, which is the name of its Secret, or `undefined` if it is valid. */
export function nameProblem(name: string): string | undefined {
  return SUBDOMAIN.test(name)
    ? undefined
    : `expected up to 253 of a-z, 0-9, "-" and ".", with a letter or digit at both ends and beside every ".", found ${JSON.stringify(name)}`;
}
