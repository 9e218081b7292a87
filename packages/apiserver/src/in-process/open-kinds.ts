import type { Kind, KubernetesObject, RestMapping, Scope } from '@mcr/client';
import { parseApiVersion } from '@mcr/client';
import { definedTypes } from '../resources/custom-resource-definition.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Backend } from '../verbs/target.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';

type AnyKind = Pick<Kind<KubernetesObject>, 'apiVersion' | 'kind' | 'plural' | 'scope'>;

/** A kind without a definition, in all versions that were named. */
interface OpenKind {
  readonly group: string;
  readonly kind: string;
  /** Name of its store. It stays the same when the plural changes. */
  readonly storage: string;
  readonly versions: string[];
  plural: string;
  /** Whether a call declared the plural. Until then it is guessed. */
  isPluralKnown: boolean;
  scope: Scope;
  /** Whether a declaration or an object determined the scope. */
  isScopeKnown: boolean;
}

/**
 * The kinds without a definition. A server in a process accepts all of them: a kind is defined when it is named for the
 * first time, with a schema that preserves unknown fields, and with the subresource `status`. What that call does not
 * declare, later ones complete.
 */
export class OpenKinds {
  readonly #backend: Backend;
  readonly #webhooks: WebhookClient;
  /** Open kinds by group and kind. */
  readonly #kinds = new Map<string, OpenKind>();
  /** The types of open kinds, among those of the registry. */
  readonly #types = new WeakSet<ResourceType>();

  constructor(backend: Backend, webhooks: WebhookClient) {
    this.#backend = backend;
    this.#webhooks = webhooks;
  }

  /**
   * Returns the type of a kind, which it defines if there is none.
   *
   * @param scope scope if the kind does not declare one. Default: Namespaced, until an object has determined it.
   * @returns `undefined` if the resource is built in or has a CustomResourceDefinition, but not in this version or with
   * this kind.
   * @throws {Error} if the plural or the scope contradicts earlier calls or objects.
   */
  typeOf(kind: AnyKind, scope?: Scope): ResourceType | undefined {
    const { registry } = this.#backend;
    const { group, version } = parseApiVersion(kind.apiVersion);
    const id = `${group}/${kind.kind}`;
    const open = this.#kinds.get(id);
    const plural = kind.plural ?? open?.plural ?? pluralOf(kind.kind);
    const present = registry
      .all()
      .find((type) => type.kind === kind.kind && apiVersionOf(type) === kind.apiVersion && !this.#types.has(type));
    const defined = present ?? this.#defined(group, kind.kind, plural);
    if (defined) {
      if (open) this.#close(id, open, defined);
      return present;
    }
    const next = open ?? {
      group,
      kind: kind.kind,
      storage: `${plural}.${group}`,
      versions: [],
      plural,
      isPluralKnown: false,
      scope: 'Namespaced',
      isScopeKnown: false,
    };
    const isPluralNew = this.#setPlural(next, kind.plural);
    const isScopeNew = setScope(next, kind.scope ?? scope);
    const isVersionNew = !next.versions.includes(version);
    if (isVersionNew) next.versions.push(version);
    if (isPluralNew || isScopeNew || isVersionNew) this.#define(next);
    this.#kinds.set(id, next);
    return registry.find(group, version, next.plural);
  }

  /** Returns a type that is not open and has this kind or plural, in any version. */
  #defined(group: string, kind: string, plural: string): ResourceType | undefined {
    return this.#backend.registry
      .stored()
      .find((type) => type.group === group && (type.kind === kind || type.plural === plural) && !this.#types.has(type));
  }

  /**
   * Replaces an open kind by a definition that was created later. It takes over the objects if the plural is the same.
   *
   * @throws {Error} if the definition has another plural than the stored objects.
   */
  #close(id: string, { kind, storage }: OpenKind, defined: ResourceType): void {
    const { registry, store } = this.#backend;
    if (storage !== defined.storage) {
      if (store.resource(storage).size > 0) {
        throw new Error(
          `${kind} has objects from before its definition ${defined.storage}: pass the definition in "crds" or "crdPaths"`,
        );
      }
      registry.remove(storage);
    }
    this.#kinds.delete(id);
  }

  /**
   * @returns whether the plural changed.
   * @throws {Error} if another plural is declared, or another kind has it.
   */
  #setPlural(open: OpenKind, declared: string | undefined): boolean {
    const { group, kind, plural: earlier } = open;
    const plural = declared ?? earlier;
    if (open.isPluralKnown && plural !== earlier) {
      throw new Error(`${kind} has the plural ${earlier} in another call, found ${plural}: declare the same one`);
    }
    for (const other of this.#kinds.values()) {
      if (other === open || other.group !== group || other.plural !== plural) continue;
      throw new Error(
        `${kind} and ${other.kind} have the plural ${plural}: pass their definitions in "crds" or "crdPaths"`,
      );
    }
    open.plural = plural;
    open.isPluralKnown ||= declared !== undefined;
    return plural !== earlier;
  }

  #define({ group, kind, plural, scope, storage, versions: names }: OpenKind): void {
    const { registry } = this.#backend;
    const versions = names.map((name, index) => ({
      name,
      served: true,
      storage: index === 0,
      subresources: { status: {} },
    }));
    const definition = { spec: { group, names: { kind, plural }, scope, versions } };
    registry.remove(storage);
    for (const defined of definedTypes(definition as unknown as ApiObject, this.#webhooks)) {
      // The core group, which definitions cannot have, has one version.
      const type = { ...defined, storage, ...(group === '' && { view: undefined }) };
      this.#types.add(type);
      registry.add(type);
    }
  }
}

/**
 * @returns whether the scope changed.
 * @throws {Error} if it contradicts an earlier call or object.
 */
function setScope(open: OpenKind, scope: Scope | undefined): boolean {
  if (scope === undefined) return false;
  const { kind, scope: earlier, isScopeKnown } = open;
  if (isScopeKnown && scope !== earlier) {
    throw new Error(
      scope === 'Namespaced'
        ? `${kind} is used with a namespace, but an initial object or an earlier call has none: set it in all of them`
        : `${kind} is used without a namespace, but an initial object or an earlier call has one: set it in all of them`,
    );
  }
  open.scope = scope;
  open.isScopeKnown = true;
  return scope !== earlier;
}

/** Returns the location of a kind. Like a client, it prefers the fields that the kind declares. */
export function mappingOf({ group, version, ...type }: ResourceType, { plural, scope }: AnyKind): RestMapping {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return { group, version, path, plural: plural ?? type.plural, scope: scope ?? type.scope };
}

/**
 * Guesses the name in URLs of a kind until a call declares it. Initial objects do not declare one.
 * (Upstream: `meta.UnsafeGuessKindToResource`.)
 */
function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (name.endsWith('s')) return `${name}es`;
  return name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;
}
