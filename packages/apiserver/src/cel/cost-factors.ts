/*
 * Factors that the costs of evaluations and their estimates share. (Upstream: `common/cost.go` of cel-go and
 * `pkg/cel/library/cost.go` of k8s.io/apiserver.)
 */

/** Cost of visiting one character or byte of a text. */
export const TRAVERSAL = 0.1;

/** Cost of one character of a regular expression, for each step in the text that it is matched with. */
export const REGEX = 0.25;

/** Functions that parse a text: one traversal of their argument. */
export const PARSING: ReadonlySet<string> = new Set(
  'url cidr isIP isCIDR ip quantity isQuantity semver isSemver'.split(' '),
);

/** Ids of signatures that compare texts, or any two values. */
export const COMPARING = /^(?:less|greater|less_equals|greater_equals)_(?:string|bytes)$|^(?:not_)?equals$/;
