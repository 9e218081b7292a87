import type { ObjectKey } from '../kinds/object.ts';

/** Reports whether the object with a key is selected. */
export type FieldSelector = (key: ObjectKey) => boolean;

/** Fields that every kind supports. Other fields depend on the kind, and only the API server can select by them. */
const FIELDS: Readonly<Record<string, (key: ObjectKey) => string>> = {
  'metadata.name': ({ name }) => name,
  'metadata.namespace': ({ namespace = '' }) => namespace,
};

/**
 * Parses a field selector that a cache can evaluate: `metadata.name` and `metadata.namespace`, with `=`, `==` and `!=`,
 * joined by commas.
 *
 * @throws {TypeError} for any other field selector.
 */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = text.split(',').filter((term) => term.trim() !== '');
  const requirements = terms.map((term): FieldSelector => {
    const [, field = '', operator, value = ''] = /^\s*([^=!\s]+)\s*(==|=|!=)\s*(.*?)\s*$/.exec(term) ?? [];
    const read = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    if (!read) {
      throw new TypeError(
        `field selector ${JSON.stringify(text)}: a cache supports only ${Object.keys(FIELDS).join(' and ')}: ` +
          `for other fields, create an index with indexField and list by it, or read from the API server`,
      );
    }
    return operator === '!=' ? (key) => read(key) !== value : (key) => read(key) === value;
  });
  return (key) => requirements.every((selects) => selects(key));
}
