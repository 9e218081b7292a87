import type { CrdManifest, DeepReadonly } from '@mcr/client';
import { foundText } from '@mcr/client';

const MAX_DEFINITIONS = 1_000;

/** @throws {TypeError} that names the first value that is not a CustomResourceDefinition, and what is wrong with it. */
export function checkDefinitions(definitions: unknown): asserts definitions is readonly DeepReadonly<CrdManifest>[] {
  if (!Array.isArray(definitions) || definitions.length === 0 || definitions.length > MAX_DEFINITIONS) {
    const found = Array.isArray(definitions) ? definitions.length : foundText(definitions);
    throw new TypeError(
      `ensureCrds: expected 1 to ${MAX_DEFINITIONS} CRDs, found ${found}: pass an array, as in ensureCrds(manager, [crdOf(Widget)])`,
    );
  }
  const names = new Set<string>();
  for (const [index, value] of (definitions as readonly unknown[]).entries()) {
    const subject = `ensureCrds: definitions[${index}]`;
    const name = checkedName(value, subject);
    if (names.has(name)) throw new TypeError(`${subject}: ${name} occurs twice`);
    names.add(name);
  }
}

function checkedName(value: unknown, subject: string): string {
  const { kind, metadata, spec } = Object(value) as Partial<DeepReadonly<CrdManifest>>;
  const name: unknown = metadata?.name;
  if (kind !== 'CustomResourceDefinition' || typeof name !== 'string' || !Array.isArray(spec?.versions)) {
    const advice = isKind(value) ? ': pass crdOf(kind) of @mcr/kinds' : '';
    throw new TypeError(
      `${subject}: expected a CustomResourceDefinition with metadata.name and spec.versions, found ${foundText(value)}${advice}`,
    );
  }
  const { group, names, versions } = spec;
  const expected = `${(names as Partial<typeof names> | undefined)?.plural}.${group}`;
  if (name !== expected) {
    throw new TypeError(`${subject}: metadata.name: expected ${expected}, the plural and the group, found ${name}`);
  }
  const wrong = versions.findIndex(
    (version: unknown) => typeof (Object(version) as { name?: unknown }).name !== 'string',
  );
  if (wrong >= 0) throw new TypeError(`${subject}: spec.versions[${wrong}]: expected a version with a name`);
  const stored = versions.filter(({ storage }) => storage).length;
  if (stored !== 1) {
    throw new TypeError(`${subject}: spec.versions: expected one version with storage: true, found ${stored}`);
  }
  return name;
}

/** Whether a value is a kind, or a kind of several versions. */
function isKind(value: unknown): boolean {
  const { apiVersion, kind, plural, storage } = Object(value) as Readonly<Record<string, unknown>>;
  return storage === undefined ? [apiVersion, kind, plural].every((part) => typeof part === 'string') : isKind(storage);
}
