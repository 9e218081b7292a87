import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { qualifiedNameErrors } from '../names.ts';
import { scalarText, valueAt } from '../resource-type.ts';

/** Keys of labels that a term copies from the Pod into its selector. */
interface LabelKeys {
  readonly match: readonly unknown[];
  readonly mismatch: readonly unknown[];
  readonly selector: unknown;
}

/** Validates keys of labels (upstream: `ValidateMatchLabelKeysAndMismatchLabelKeys`). */
export function labelKeysErrors(path: string, { match, mismatch, selector }: LabelKeys): FieldError[] {
  const twice = 'exists in both matchLabelKeys and mismatchLabelKeys';
  return [
    ...namesErrors(`${path}.matchLabelKeys`, match, selector),
    ...namesErrors(`${path}.mismatchLabelKeys`, mismatch, selector),
    ...selectedErrors(path, match, selector),
    ...match.flatMap((key, index) =>
      mismatch.includes(key) ? [invalidField(`${path}.matchLabelKeys[${index}]`, key, twice)] : [],
    ),
  ];
}

function namesErrors(field: string, keys: readonly unknown[], selector: unknown): FieldError[] {
  if (keys.length === 0) return [];
  if (selector === undefined) return [forbiddenField(field, 'must not be specified when labelSelector is not set')];
  return keys.flatMap((key, index) =>
    qualifiedNameErrors(scalarText(key)).map((detail) => invalidField(`${field}[${index}]`, key, detail)),
  );
}

/** The server adds an expression for each key, so that a key of the selector appears twice. */
function selectedErrors(path: string, match: readonly unknown[], selector: unknown): FieldError[] {
  const seen = new Set(Object.keys(valueAt(selector, 'matchLabels') ?? {}));
  return listAt(selector, 'matchExpressions').flatMap((expression) => {
    const key = scalarText(valueAt(expression, 'key'));
    const index = match.lastIndexOf(key);
    const isRepeated = index >= 0 && seen.has(key);
    seen.add(key);
    // Upstream leaves the name of the list out of the path.
    return isRepeated
      ? [invalidField(`${path}[${index}]`, key, 'exists in both matchLabelKeys and labelSelector')]
      : [];
  });
}
