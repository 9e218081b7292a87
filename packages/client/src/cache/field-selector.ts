import type { ObjectKey } from '../kinds/object.ts';

/** Reports whether the object with a key is selected. */
export type FieldSelector = (key: ObjectKey) => boolean;

/** Fields that every kind supports. Other fields depend on the kind, and only the API server can select by them. */
const FIELDS: Readonly<Record<string, (key: ObjectKey) => string>> = {
  'metadata.name': ({ name }) => name,
  'metadata.namespace': ({ namespace = '' }) => namespace,
};

/** Reports whether a cache can evaluate a field selector; see {@link parseFieldSelector}. */
export function canEvaluate(text: string): boolean {
  return termsOf(text).every((term) => requirementOf(term) !== undefined);
}

/**
 * Parses a field selector that a cache can evaluate: `metadata.name` and `metadata.namespace`, with `=`, `==` and `!=`,
 * joined by commas.
 *
 * @throws {TypeError} for any other field selector.
 */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements = termsOf(text).map((term): FieldSelector => {
    const requirement = requirementOf(term);
    if (requirement) return requirement;
    throw new TypeError(
      `field selector ${JSON.stringify(text)}: a cache supports only ${Object.keys(FIELDS).join(' and ')}: ` +
        `for other fields, create an index with indexField and list by it, or read from the API server`,
    );
  });
  return (key) => requirements.every((selects) => selects(key));
}

function termsOf(text: string): string[] {
  return text.split(',').filter((term) => term.trim() !== '');
}

/** Returns `undefined` if a cache cannot evaluate the term. */
function requirementOf(term: string): FieldSelector | undefined {
  const [, field = '', operator, value = ''] = /^\s*([^=!\s]+)\s*(==|=|!=)\s*(.*?)\s*$/.exec(term) ?? [];
  const read = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
  if (!read) return undefined;
  return operator === '!=' ? (key) => read(key) !== value : (key) => read(key) === value;
}
