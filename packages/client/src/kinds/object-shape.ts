/** Maximum length of a name, uid, version or similar field, in characters. Kubernetes allows 253 for a name. */
const MAX_IDENTIFIER = 1024;
/** Maximum length of a continue token, in characters: it must fit into a URL. */
const MAX_TOKEN = 16_384;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns which common field of an object is invalid, or `undefined`. A schema checks the fields of the kind.
 *
 * @param path path of the object, for the message. Default: the whole document.
 */
export function objectProblem(value: unknown, path = ''): string | undefined {
  if (!isFields(value)) return expected(path || 'the object', 'an object', value);
  const prefix = path && `${path}.`;
  return (
    optionalText(value['apiVersion'], `${prefix}apiVersion`) ??
    optionalText(value['kind'], `${prefix}kind`) ??
    metadataProblem(value['metadata'], `${prefix}metadata`)
  );
}

/** Like {@link objectProblem}, for an object in a list or a watch, which must have a name that UTF-8 can represent. */
export function namedObjectProblem(value: unknown, path: string): string | undefined {
  const problem = objectProblem(value, path);
  if (problem !== undefined) return problem;
  const { metadata } = value as { metadata: Fields };
  if (!metadata['name']) return `${path}.metadata.name is missing`;
  const wrong = TEXTS.find((field) => !isUnicode(metadata[field]));
  return wrong && `${path}.metadata.${wrong} is not valid Unicode: it has half of a surrogate pair`;
}

/** Whether UTF-8 can represent the text, so that two texts do not become one key. */
function isUnicode(text: unknown): boolean {
  return typeof text !== 'string' || text.isWellFormed();
}

/** Like {@link objectProblem}, for the metadata of a list, a page or a bookmark. */
export function listMetadataProblem(value: unknown, path = 'metadata'): string | undefined {
  if (!isFields(value)) return expected(path, 'an object', value);
  return (
    optionalText(value['resourceVersion'], `${path}.resourceVersion`) ??
    optionalText(value['continue'], `${path}.continue`, MAX_TOKEN) ??
    optionalFields(value['annotations'], `${path}.annotations`) ??
    optionalNumber(value['remainingItemCount'], `${path}.remainingItemCount`)
  );
}

function metadataProblem(metadata: unknown, path: string): string | undefined {
  if (!isFields(metadata)) return expected(path, 'an object', metadata);
  for (const field of TEXTS) {
    const value = metadata[field];
    if (typeof value === 'string' ? value.length > MAX_IDENTIFIER : value !== undefined) {
      return optionalText(value, `${path}.${field}`);
    }
  }
  const { labels, annotations, finalizers, ownerReferences, managedFields } = metadata;
  const { creationTimestamp, deletionTimestamp, generation } = metadata;
  return (
    optionalFields(labels, `${path}.labels`) ??
    optionalFields(annotations, `${path}.annotations`) ??
    optionalNumber(generation, `${path}.generation`) ??
    // Go encodes an unset time as `null`.
    optionalText(creationTimestamp ?? undefined, `${path}.creationTimestamp`) ??
    optionalText(deletionTimestamp ?? undefined, `${path}.deletionTimestamp`) ??
    (finalizers === undefined ? undefined : finalizersProblem(finalizers, `${path}.finalizers`)) ??
    (ownerReferences === undefined ? undefined : ownersProblem(ownerReferences, `${path}.ownerReferences`)) ??
    (managedFields === undefined ? undefined : managersProblem(managedFields, `${path}.managedFields`))
  );
}

const TEXTS = ['name', 'namespace', 'uid', 'resourceVersion'] as const;

function finalizersProblem(value: unknown, path: string): string | undefined {
  if (!Array.isArray(value)) return expected(path, 'an array', value);
  const wrong = value.findIndex((each) => typeof each !== 'string');
  return wrong < 0 ? undefined : expected(`${path}[${wrong}]`, 'a string', value[wrong]);
}

const OWNER_TEXTS = ['apiVersion', 'kind', 'name', 'uid'] as const;

function ownersProblem(value: unknown, path: string): string | undefined {
  if (!Array.isArray(value)) return expected(path, 'an array', value);
  for (const [index, owner] of (value as unknown[]).entries()) {
    if (!isFields(owner)) return expected(`${path}[${index}]`, 'an object', owner);
    for (const field of OWNER_TEXTS) {
      if (typeof owner[field] !== 'string') return expected(`${path}[${index}].${field}`, 'a string', owner[field]);
    }
  }
  return undefined;
}

const MANAGER_TEXTS = ['manager', 'operation', 'apiVersion', 'subresource', 'time', 'fieldsType'] as const;

function managersProblem(value: unknown, path: string): string | undefined {
  if (!Array.isArray(value)) return expected(path, 'an array', value);
  for (const [index, entry] of (value as unknown[]).entries()) {
    if (!isFields(entry)) return expected(`${path}[${index}]`, 'an object', entry);
    for (const field of MANAGER_TEXTS) {
      // Go encodes an unset time as `null`.
      const wrong = optionalText(entry[field] ?? undefined, `${path}[${index}].${field}`);
      if (wrong !== undefined) return wrong;
    }
  }
  return undefined;
}

function optionalText(value: unknown, path: string, max = MAX_IDENTIFIER): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') return expected(path, 'a string', value);
  return value.length > max ? `${path} has more than ${max} characters` : undefined;
}

function optionalNumber(value: unknown, path: string): string | undefined {
  return value === undefined || typeof value === 'number' ? undefined : expected(path, 'a number', value);
}

function optionalFields(value: unknown, path: string): string | undefined {
  if (value === undefined || (isFields(value) && !Array.isArray(value))) return undefined;
  return expected(path, 'an object', value);
}

/** Returns a message with the type of the value only: the value may be part of a Secret. */
export function expected(path: string, type: string, found: unknown): string {
  return found === undefined ? `${path} is missing` : `${path} is ${typeName(found)}, expected ${type}`;
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}
