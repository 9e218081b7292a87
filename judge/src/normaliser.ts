import type { Json, JsonObject } from './operation.ts';

/**
 * Kinds whose errors are in a random order: a real server visits the fields of custom objects and schemas, and the
 * attributes of devices, as a Go map.
 */
const UNORDERED_ERRORS =
  /(?:\.(?:(?:apply|judge)\.example\.com|apiextensions\.k8s\.io)|^ResourceSlice\.resource\.k8s\.io) "[^"]*" is invalid: \[/u;

/** Several errors in one map of labels, which a real server visits in a random order. */
const UNORDERED_LABELS =
  / is invalid: \[(?:[^]*, )?(?<field>[\w.[\]]*[lL]abels): Invalid value: [^]*, \k<field>: Invalid value: /u;

/**
 * Addresses that servers choose for Services. Servers choose none of the first 16 addresses of a block while others are
 * free, so operations choose from these, and one other.
 */
const ALLOCATED_ADDRESS = /10\.[09]\.0\.(?!(?:\d|1[0-6])\b)\d+/gu;

/** Lists whose order depends on the time, or is random. */
const UNORDERED: ReadonlySet<string> = new Set(['managedFields', 'causes', 'resourceRules', 'nonResourceRules']);

/**
 * Replaces values that differ in each run with stable ones. A uid or version becomes `known` if the server returned it
 * before, else `new`, so that a difference does not change later answers.
 */
export class Normaliser {
  readonly #known = new Set<string>();
  #seen: string[] = [];

  /** Normalises a body. */
  body(value: unknown): Json {
    this.#seen = [];
    const normal = this.#value(value, '');
    for (const text of this.#seen) this.#known.add(text);
    return normal;
  }

  /** Normalises the warnings of a response. Those about unknown fields of a patch are in a random order. */
  warnings(method: string, header: string): string {
    const text = this.text(header);
    const isUnordered = method === 'PATCH' && text.split(', 299 - ').every((each) => each.includes('unknown field '));
    return isUnordered
      ? text
          .replace(/^299 - /u, '')
          .split(', 299 - ')
          .toSorted()
          .join(', ')
      : text;
  }

  /** Normalises a message, a header, or a body that is not JSON. */
  text(text: string): string {
    return text
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/gu, 'TIME')
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? [+]0000 UTC(?: m=\S+)?/gu, 'TIME')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu, 'UID')
      .replaceAll(/^\d+[smhd](?:\d+[smh])?$/gu, 'AGE')
      .replaceAll(/(?<=ResourceVersion in (?:the precondition|record) \(|resource version: |current: )\d+/gu, 'VERSION')
      .replaceAll(/(?<=resourceVersion(?:: "|":"))\d+/gu, 'VERSION')
      .replaceAll(/(?<=^ *storageVersionHash: )\S+$/gmu, 'OPAQUE')
      .replaceAll(/(?<=^ {2}continue: )[\w-]+$/gmu, 'OPAQUE')
      .replaceAll(/(?<=too old resource version: )\d+ \(\d+\)/gu, 'VERSION (VERSION)')
      .replaceAll(/(?<=resourceVersion=)[1-9]\d*/gu, 'VERSION')
      .replaceAll(/\b(?<base>gen-|Gen_)[a-z0-9]{5}\b/gu, '$<base>RANDOM')
      .replaceAll(ALLOCATED_ADDRESS, 'ADDRESS')
      .replaceAll(/"(?:kid|x|y|n)":"[\w-]+"/gu, 'KEY')
      .replaceAll(/127\.0\.0\.1:\d+|(?<=https:\/\/|^)\d+\.\d+\.\d+\.\d+:\d+(?=\/openid|$)/gu, 'SERVER')
      .replaceAll(/(?<=serverAddress: )\S+/gu, 'SERVER')
      .replaceAll(/0x[0-9a-f]{6,}/gu, 'POINTER');
  }

  #value(value: unknown, field: string): Json {
    if (Array.isArray(value)) return this.#list(value, field);
    if (typeof value === 'object' && value !== null) return this.#object(value as JsonObject);
    if (typeof value === 'number') return isAllocatedPort(field, value) ? 'PORT' : value;
    if (typeof value !== 'string') return value as Json;
    switch (field) {
      case 'uid':
      case 'resourceVersion':
        return value === '' || value === 'VERSION' ? value : this.#nth(value);
      case 'continue':
      case 'storageVersionHash':
      case 'token':
        return value === '' ? '' : 'OPAQUE';
      case 'time':
        return 'TIME';
      default:
        return this.text(value);
    }
  }

  #list(list: readonly unknown[], field: string): Json {
    const hasObjects = field === 'items' || field === 'rows';
    const values = list
      .map((item) => this.#value(item, ''))
      .filter((item) => field !== 'paths' || !isHealthCheck(item))
      .filter((item) => !hasObjects || !isOwnObject(item))
      .map((item) => (hasObjects && isRepairEvent(item) ? REPAIR_EVENT : item));
    // Owners of fields are in the order of their times, which are seconds.
    // The rules of a user are in a random order.
    if (!UNORDERED.has(field)) return values;
    const keyed = values
      .map((item) => ({ key: JSON.stringify(withSortedFields(item)), item }))
      .toSorted((a, b) => (a.key < b.key ? -1 : 1));
    // A cause is repeated for each check of a real server that finds it: two to four checks look at the same metadata.
    const kept = field === 'causes' ? keyed.filter(({ key }, index) => key !== keyed[index - 1]?.key) : keyed;
    return kept.map(({ item }) => item);
  }

  #object(object: JsonObject): Json {
    if (object['type'] === 'BOOKMARK') return this.#bookmark(object);
    if (object['kind'] === 'Status') return this.#fields(withOrderedErrors(object));
    return this.#fields(object);
  }

  /** The version of a bookmark depends on when it was sent. */
  #bookmark({ object, ...event }: JsonObject): Json {
    return { ...event, object: this.#value(withoutVersions(object), '') };
  }

  #fields(object: JsonObject): Json {
    const isList = ('items' in object || 'rows' in object) && 'metadata' in object;
    return Object.fromEntries(
      Object.entries(object).map(([field, item]) => {
        const name = field.startsWith('k:') ? this.text(field) : field;
        if (field !== 'metadata' || !isList) return [name, this.#value(item, field)];
        // The version of a list depends on when it was read.
        const { resourceVersion, ...metadata } = item as JsonObject;
        const version = resourceVersion ? 'VERSION' : resourceVersion;
        return [name, { ...(this.#object(metadata) as JsonObject), resourceVersion: version }];
      }),
    );
  }

  #nth(text: string): string {
    this.#seen.push(text);
    return this.#known.has(text) ? 'KNOWN' : 'NEW';
  }
}

interface Cause {
  readonly field: string;
  readonly message: string;
}

/** Errors of an apply, one a line: a real server visits the fields of what it applies as a Go map. */
const UNORDERED_LINES = /^(?<head>failed to create typed (?:live|patch) object [^\n]*: errors:)\n(?<lines>[^]*)$/u;

/** Sorts the errors in the message of a Status whose order is random. */
export function withOrderedErrors(sent: JsonObject): JsonObject {
  const status = withOrderedLines(sent);
  const { message, details } = status;
  if (typeof message !== 'string') return status;
  if (!UNORDERED_ERRORS.test(message) && !UNORDERED_LABELS.test(message)) return status;
  const causes = (details as JsonObject | undefined)?.['causes'];
  if (!Array.isArray(causes)) return status;
  const texts = (causes as readonly Cause[]).map(({ field, message: text }) => `${field}: ${text}`);
  const start = message.indexOf('is invalid: [') + 'is invalid: ['.length;
  return { ...status, message: `${message.slice(0, start)}${[...new Set(texts)].toSorted().join(', ')}]` };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function withOrderedLines(status: JsonObject): JsonObject {
  const { head, lines } = UNORDERED_LINES.exec(textOf(status['message']))?.groups ?? {};
  if (head === undefined || lines === undefined) return status;
  return { ...status, message: [head, ...lines.split('\n').toSorted()].join('\n') };
}

/** Returns a value whose resource versions are all the same. */
function withoutVersions(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutVersions(item));
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value).map(
    ([field, item]) => [field, field === 'resourceVersion' && item !== '' ? 'VERSION' : withoutVersions(item)] as const,
  );
  return Object.fromEntries(entries);
}

/** Returns a value whose objects have their fields in alphabetical order: servers write them in different orders. */
export function withSortedFields(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withSortedFields(item));
  if (typeof value !== 'object' || value === null) return value ?? null;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([field, item]) => [field, withSortedFields(item)]));
}

/** Reports whether a path is that of one health check. A real server has one for each controller in it. */
function isHealthCheck(path: Json): boolean {
  return typeof path === 'string' && /^\/(?:healthz|livez|readyz)\/./u.test(path);
}

/** Takes the place of an Event of {@link isRepairEvent} in a list. */
export const REPAIR_EVENT = 'REPAIR EVENT';

/** Reports whether an item is an Event of a controller of the binaries that repairs addresses or ports of Services. */
export function isRepairEvent(item: Json): boolean {
  const text = JSON.stringify(item);
  // A list of metadata has only their field manager.
  return (
    /(?:ip|port)allocator-repair-controller/u.test(text) ||
    text.includes('"manager":"kube-apiserver","operation":"Update","apiVersion":"events.k8s.io/v1"')
  );
}

/** Names of the objects of the binaries in `kube-system`, which the embedded server does not have. */
const OWN_NAME =
  '(?:extension-apiserver-authentication|kube-apiserver-legacy-service-account-token-tracking|apiserver-[a-z0-9]{26})';
const OWN_OBJECTS = new RegExp(`^${OWN_NAME}$`, 'u');
const OWN_IN_YAML = new RegExp(`^ {4}name: ${OWN_NAME}$`, 'mu');

/** Reports whether an item of a list in YAML is one of {@link OWN_OBJECTS}. */
export function isOwnInYaml(item: string): boolean {
  return OWN_IN_YAML.test(item);
}

/** Reports whether an item of a list or a row of a table is one of {@link OWN_OBJECTS}. */
function isOwnObject(item: Json): boolean {
  const { metadata, object, cells } = Object(item) as {
    readonly metadata?: { readonly name?: unknown };
    readonly object?: { readonly metadata?: { readonly name?: unknown } } | null;
    readonly cells?: readonly unknown[] | null;
  };
  return [metadata?.name, object?.metadata?.name, cells?.[0]].some(
    (name) => typeof name === 'string' && OWN_OBJECTS.test(name),
  );
}

/** Node ports that operations choose. */
const CHOSEN_PORTS: ReadonlySet<number> = new Set([30_111, 30_112, 30_113, 30_115, 30_123, 30_124, 30_125]);

/** Reports whether a server chose a port: one for a Service, or its own, to which the Service `kubernetes` leads. */
function isAllocatedPort(field: string, value: number): boolean {
  if (field === 'nodePort' || field === 'healthCheckNodePort') return value >= 30_086 && !CHOSEN_PORTS.has(value);
  return field === 'targetPort' && (value === 6443 || (value >= 10_000 && value < 65_536));
}
