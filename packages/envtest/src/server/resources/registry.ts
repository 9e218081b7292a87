import type { Schema } from '../schema/schema.ts';
import type { ResourceType } from './resource-type.ts';

/** The kinds that one logical cluster serves now. */
export class ResourceRegistry {
  readonly #types = new Map<string, ResourceType>();
  /** By storage, the type whose version is stored. */
  readonly #stored = new Map<string, ResourceType>();
  #revision = 0;

  constructor(types: readonly ResourceType[]) {
    for (const type of types) this.add(type);
  }

  /** Grows with every change, so that documents made from the registry can be cached. */
  get revision(): number {
    return this.#revision;
  }

  add(type: ResourceType): void {
    this.#types.set(registryKey(type.group, type.version, type.plural), type);
    if (!type.view) this.#stored.set(type.storage, type);
    this.#revision += 1;
  }

  /** Removes every version of a resource. */
  remove(storage: string): void {
    for (const [key, type] of this.#types) if (type.storage === storage) this.#types.delete(key);
    this.#stored.delete(storage);
    this.#revision += 1;
  }

  find(group: string, version: string, plural: string): ResourceType | undefined {
    return this.#types.get(registryKey(group, version, plural));
  }

  all(): ResourceType[] {
    return [...this.#types.values()];
  }

  /** One type for each resource: the one whose version is stored. */
  stored(): ResourceType[] {
    return [...this.#stored.values()];
  }

  storedType(storage: string): ResourceType | undefined {
    return this.#stored.get(storage);
  }

  /** The schema of a resource's objects as they are stored. */
  storedSchema({ storage }: ResourceType): Schema | undefined {
    return this.storedType(storage)?.schema;
  }
}

function registryKey(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}
