import type { Schema } from '../schema/schema.ts';
import type { ResourceType } from './resource-type.ts';

/** The kinds that a logical cluster serves. */
export class ResourceRegistry {
  readonly #types = new Map<string, ResourceType>();
  /** Type of the stored version, by storage. */
  readonly #stored = new Map<string, ResourceType>();
  #revision = 0;

  constructor(types: readonly ResourceType[]) {
    for (const type of types) this.add(type);
  }

  /** Increases with every change, so that documents derived from the registry can be cached. */
  get revision(): number {
    return this.#revision;
  }

  add(type: ResourceType): void {
    this.#types.set(registryKey(type.group, type.version, type.plural), type);
    if (type.storesVersion ?? !type.view) this.#stored.set(type.storage, type);
    this.#revision += 1;
  }

  /** Removes all versions of a resource. */
  remove(storage: string): void {
    for (const [key, type] of this.#types) if (type.storage === storage) this.#types.delete(key);
    this.#stored.delete(storage);
    this.#revision += 1;
  }

  find(group: string, version: string, plural: string): ResourceType | undefined {
    const type = this.#types.get(registryKey(group, version, plural));
    return type?.served === false ? undefined : type;
  }

  /** Returns all served types. */
  all(): ResourceType[] {
    return [...this.#types.values()].filter(({ served }) => served !== false);
  }

  /** Returns one type for each resource: the one of the stored version. */
  stored(): ResourceType[] {
    return [...this.#stored.values()];
  }

  storedType(storage: string): ResourceType | undefined {
    return this.#stored.get(storage);
  }

  /** Returns the schema of the stored version of a resource. */
  storedSchema({ storage }: ResourceType): Schema | undefined {
    return this.storedType(storage)?.schema;
  }
}

function registryKey(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}
