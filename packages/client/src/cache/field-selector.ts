import type { DeepReadonly, KubernetesObject } from '../kinds/object.ts';

/** Whether an object is selected. */
export type FieldSelector = (object: DeepReadonly<KubernetesObject>) => boolean;

/** The fields that every kind can be selected by; further ones are the API server's to know. */
const FIELDS: Readonly<Record<string, (object: DeepReadonly<KubernetesObject>) => string>> = {
  'metadata.name': ({ metadata }) => metadata.name,
  'metadata.namespace': ({ metadata }) => metadata.namespace ?? '',
};

/**
 * Parses a field selector that can be answered from cached objects: `metadata.name` and `metadata.namespace`, with
 * `=`, `==` and `!=`, joined by commas.
 *
 * @throws {TypeError} for any other.
 */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = text.split(',').filter((term) => term.trim() !== '');
  const requirements = terms.map((term): FieldSelector => {
    const [, field = '', operator, value = ''] = /^\s*([^=!\s]+)\s*(==|=|!=)\s*(.*?)\s*$/.exec(term) ?? [];
    const read = Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined;
    if (!read) {
      throw new TypeError(
        `field selector ${JSON.stringify(text)}: a cache selects by ${Object.keys(FIELDS).join(' and ')} only. ` +
          `For other fields make an index with indexField and list by that, or read from the API server`,
      );
    }
    return operator === '!=' ? (object) => read(object) !== value : (object) => read(object) === value;
  });
  return (object) => requirements.every((selects) => selects(object));
}
