import type { Kind, KubernetesObject, RestMapping, Scope } from '@mcr/client';
import { parseApiVersion } from '@mcr/client';
import { DEFINITIONS } from '../definitions/definition.ts';
import { definedTypes } from '../resources/custom-resource-definition.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Backend } from '../verbs/target.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';

type AnyKind = Pick<Kind<KubernetesObject>, 'apiVersion' | 'kind' | 'plural' | 'scope'>;

/** A kind without a definition, in all versions that were named. */
interface OpenKind {
  readonly names: { readonly kind: string; readonly plural: string };
  readonly versions: string[];
  scope: Scope;
  /** Whether a declaration or an object determined the scope. */
  isScopeKnown: boolean;
}

/**
 * The kinds without a definition. A server in a process accepts all of them: a kind is defined when it is named for the
 * first time, with a schema that preserves unknown fields, and with the subresource `status`.
 */
export class OpenKinds {
  readonly #backend: Backend;
  readonly #webhooks: WebhookClient;
  /** Open kinds by storage. */
  readonly #kinds = new Map<string, OpenKind>();

  constructor(backend: Backend, webhooks: WebhookClient) {
    this.#backend = backend;
    this.#webhooks = webhooks;
  }

  /**
   * Returns the type of a kind, which it defines if there is none.
   *
   * @param scope scope if the kind does not declare one. Default: Namespaced, until an object has determined it.
   * @returns `undefined` if a CustomResourceDefinition defines the resource, but not in this version or with this kind.
   */
  typeOf(kind: AnyKind, scope?: Scope): ResourceType | undefined {
    const { group, version } = parseApiVersion(kind.apiVersion);
    const present = this.#backend.registry
      .all()
      .find((type) => type.kind === kind.kind && apiVersionOf(type) === kind.apiVersion);
    const plural = kind.plural ?? present?.plural ?? pluralOf(kind.kind);
    const storage = `${plural}.${group}`;
    const open = this.#kinds.get(storage);
    const isOpen = open !== undefined && this.#isOpen(storage);
    if (present && !(isOpen && present.storage === storage)) return present;
    if (!isOpen && this.#isDefined(group, kind.kind, plural)) return undefined;
    const given = kind.scope ?? scope;
    const next: OpenKind = (isOpen ? open : undefined) ?? {
      names: { kind: kind.kind, plural },
      versions: [],
      scope: given ?? 'Namespaced',
      isScopeKnown: false,
    };
    const isNew = !next.versions.includes(version);
    const isMoved = given !== undefined && !next.isScopeKnown && given !== next.scope;
    if (isNew) next.versions.push(version);
    if (isMoved) next.scope = given;
    next.isScopeKnown ||= given !== undefined;
    if (isNew || isMoved) this.#define(group, next, storage);
    return this.#backend.registry.find(group, version, plural);
  }

  /** Reports whether the kind is still open: a definition that was created later replaces it. */
  #isOpen(storage: string): boolean {
    return this.#backend.store.resource(DEFINITIONS).get(storage) === undefined;
  }

  #isDefined(group: string, kind: string, plural: string): boolean {
    return this.#backend.registry
      .stored()
      .some((type) => type.group === group && (type.kind === kind || type.plural === plural) && !type.builtIn);
  }

  #define(group: string, open: OpenKind, storage: string): void {
    const { registry } = this.#backend;
    const { names, scope } = open;
    const versions = open.versions.map((name, index) => ({
      name,
      served: true,
      storage: index === 0,
      subresources: { status: {} },
    }));
    const definition = { spec: { group, names, scope, versions } };
    registry.remove(storage);
    for (const type of definedTypes(definition as unknown as ApiObject, this.#webhooks)) {
      // The core group, which definitions cannot have, has one version.
      registry.add(group === '' ? { ...type, view: undefined } : type);
    }
    this.#kinds.set(storage, open);
  }
}

/** Returns the location of a kind. Like a client, it prefers the fields that the kind declares. */
export function mappingOf({ group, version, ...type }: ResourceType, { plural, scope }: AnyKind): RestMapping {
  const path = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return { group, version, path, plural: plural ?? type.plural, scope: scope ?? type.scope };
}

/** Returns the name in URLs of a kind that does not declare one. (Upstream: `meta.UnsafeGuessKindToResource`.) */
function pluralOf(kind: string): string {
  const name = kind.toLowerCase();
  if (name.endsWith('s')) return `${name}es`;
  return name.endsWith('y') ? `${name.slice(0, -1)}ies` : `${name}s`;
}
