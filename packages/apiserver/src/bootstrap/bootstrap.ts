import { randomUUID } from 'node:crypto';
import { builtInTypes } from '../resources/kind-table.ts';
import { now } from '../resources/timestamp.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { DeferredObjects } from '../storage/deferred-objects.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { parseStored } from '../storage/stored-object.ts';
import { bootstrapObjects } from './objects.ts';
import { reportReadyRange } from './service-range.ts';

/** An object of the first cluster of this process, from which those of later clusters are made. */
class Template {
  readonly stored: StoredObject;
  readonly #json: string;
  readonly #creationTimestamp: string;

  constructor(stored: StoredObject) {
    const { metadata } = parseStored(stored);
    this.stored = stored;
    this.#json = stored.json.toString();
    this.#creationTimestamp = metadata.creationTimestamp;
  }

  /** Returns the JSON of a copy. */
  jsonOf({ uid, version, creationTimestamp }: Copy): Buffer {
    const text = this.#json
      .replace(this.stored.uid, uid)
      .replace(`"resourceVersion":"${this.stored.version}"`, `"resourceVersion":"${version}"`)
      // The time is also that of the managed fields.
      .replaceAll(this.#creationTimestamp, creationTimestamp);
    return Buffer.from(text);
  }
}

/** A copy of a template in another cluster. It has no JSON of its own, because few clusters are ever asked for it. */
class Copy implements StoredObject {
  /** Copied, because V8 keeps the result of `randomUUID()` as a tree of its 20 parts. */
  readonly uid = Buffer.from(randomUUID()).toString('latin1');
  readonly version: number;
  readonly creationTimestamp: string;
  readonly #template: Template;

  constructor(template: Template, version: number, creationTimestamp: string) {
    this.#template = template;
    this.version = version;
    this.creationTimestamp = creationTimestamp;
  }

  get resource() {
    return this.#template.stored.resource;
  }

  get key() {
    return this.#template.stored.key;
  }

  get namespace() {
    return this.#template.stored.namespace;
  }

  get name() {
    return this.#template.stored.name;
  }

  get labels() {
    return this.#template.stored.labels;
  }

  get fields() {
    return this.#template.stored.fields;
  }

  get owners() {
    return this.#template.stored.owners;
  }

  get terminating() {
    return this.#template.stored.terminating;
  }

  get json() {
    return this.#template.jsonOf(this);
  }
}

/** The objects of later clusters, with the versions that these get. */
class Templates {
  readonly version: number;
  readonly #byResource = new Map<string, { readonly template: Template; readonly version: number }[]>();

  constructor(templates: readonly Template[]) {
    this.version = FIRST_VERSION + templates.length - 1;
    for (const [index, template] of templates.entries()) {
      const { resource } = template.stored;
      const found = this.#byResource.get(resource) ?? [];
      found.push({ template, version: FIRST_VERSION + index });
      this.#byResource.set(resource, found);
    }
  }

  /** Returns the objects of a cluster that is created now. */
  copies(): DeferredObjects {
    const time = now();
    return {
      resources: this.#byResource.keys(),
      version: this.version,
      objectsOf: (resource) =>
        (this.#byResource.get(resource) ?? []).map(({ template, version }) => new Copy(template, version, time)),
    };
  }

  /** Returns the objects in the order of their versions. */
  all(): readonly StoredObject[] {
    const { resources, objectsOf } = this.copies();
    return [...resources].flatMap(objectsOf).toSorted((one, other) => one.version - other.version);
  }
}

/** Version of the first write of a store. */
const FIRST_VERSION = 2;

let templates: Templates | undefined;

/**
 * Creates the objects that a new cluster has. Only those of the first cluster of a process are validated and get their
 * defaults; those of later clusters differ from them in uids, times and versions.
 *
 * @param create creates one object in the store.
 * @param isPersistent whether the store persists its writes. Otherwise, the objects are created when they are needed.
 */
export function createBootstrapObjects(
  store: ClusterStore,
  create: (object: object) => void,
  isPersistent: boolean,
): void {
  if (templates && !isPersistent) {
    store.defer(templates.copies());
    return;
  }
  if (templates) {
    for (const object of templates.all()) store.write(() => ({ type: 'ADDED', object, previous: undefined }));
    return;
  }
  for (const object of bootstrapObjects(builtInTypes)) create(object);
  reportReadyRange(store);
  const objects = [...store.resourceIds()].flatMap((id) => store.resource(id).list(''));
  templates = new Templates(
    objects.toSorted((one, other) => one.version - other.version).map((stored) => new Template(stored)),
  );
}
