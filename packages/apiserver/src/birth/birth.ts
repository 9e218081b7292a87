import { randomUUID } from 'node:crypto';
import { builtInTypes } from '../resources/kind-table.ts';
import { now } from '../resources/timestamp.ts';
import type { ClusterStore } from '../storage/cluster-store.ts';
import type { StoredObject } from '../storage/stored-object.ts';
import { birthObjects } from './objects.ts';

/** An object of the first cluster of this process, from which those of later clusters are made. */
interface Template {
  readonly stored: StoredObject;
  readonly json: string;
  readonly creationTimestamp: string;
}

let templates: readonly Template[] | undefined;

/**
 * Creates the objects that a new cluster has. Only those of the first cluster of a process are validated and get their
 * defaults; those of later clusters differ from them in uids, times and versions.
 *
 * @param create creates one object in the store.
 */
export function createBirthObjects(store: ClusterStore, create: (object: object) => void): void {
  if (templates) {
    for (const template of templates) {
      store.write((version) => ({ type: 'ADDED', object: copyOf(template, version), previous: undefined }));
    }
    return;
  }
  for (const object of birthObjects(builtInTypes)) create(object);
  const objects = [...store.resourceIds()].flatMap((id) => store.resource(id).list(''));
  templates = objects.toSorted((one, other) => one.version - other.version).map(templateOf);
}

function templateOf(stored: StoredObject): Template {
  const json = stored.json.toString();
  const { metadata } = JSON.parse(json) as { readonly metadata: { readonly creationTimestamp: string } };
  return { stored, json, creationTimestamp: metadata.creationTimestamp };
}

function copyOf({ stored, json, creationTimestamp }: Template, version: number): StoredObject {
  const uid = randomUUID();
  const text = json
    .replace(stored.uid, uid)
    .replace(`"resourceVersion":"${stored.version}"`, `"resourceVersion":"${version}"`)
    // The time is also that of the managed fields.
    .replaceAll(creationTimestamp, now());
  return { ...stored, uid, version, json: Buffer.from(text) };
}
