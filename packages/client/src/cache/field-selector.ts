import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';

/** Reports whether an object is selected. */
export type FieldSelector = (object: DeepReadonly<KubernetesObject>) => boolean;

/** Fields that every kind supports. Other fields depend on the kind, and only the API server can select by them. */
const FIELDS: Readonly<Record<string, (object: DeepReadonly<KubernetesObject>) => string>> = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace ?? '',
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
    return operator === '!=' ? (object) => read(object) !== value : (object) => read(object) === value;
  });
  return (object) => requirements.every((selects) => selects(object));
}
