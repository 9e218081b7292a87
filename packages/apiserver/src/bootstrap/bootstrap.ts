import { randomUUID } from 'node:crypto';
import { builtInTypes } from '../resources/kind-table.ts';
import { now } from '../resources/timestamp.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
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

let templates: readonly Template[] | undefined;

/**
 * Creates the objects that a new cluster has. Only those of the first cluster of a process are validated and get their
 * defaults; those of later clusters differ from them in uids, times and versions.
 *
 * @param create creates one object in the store.
 */
export function createBootstrapObjects(store: ClusterStore, create: (object: object) => void): void {
  if (templates) {
    const time = now();
    for (const template of templates) {
      store.write((version) => ({ type: 'ADDED', object: new Copy(template, version, time), previous: undefined }));
    }
    return;
  }
  for (const object of bootstrapObjects(builtInTypes)) create(object);
  reportReadyRange(store);
  const objects = [...store.resourceIds()].flatMap((id) => store.resource(id).list(''));
  templates = objects.toSorted((one, other) => one.version - other.version).map((stored) => new Template(stored));
}
