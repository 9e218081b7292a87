import { createHash } from 'node:crypto';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import { SchemaDocuments } from './schema-documents.ts';
import { RELEASE } from './version.ts';

const INFO = { title: 'Kubernetes', version: RELEASE };

/** Documents are cached until the registry changes, because they are large and often requested. */
const cache = new WeakMap<ResourceRegistry, { readonly revision: number; readonly documents: Map<string, object> }>();

function cached(registry: ResourceRegistry, path: string, make: () => object): object {
  let entry = cache.get(registry);
  if (entry?.revision !== registry.revision) {
    entry = { revision: registry.revision, documents: new Map() };
    cache.set(registry, entry);
  }
  const document = entry.documents.get(path) ?? make();
  entry.documents.set(path, document);
  return document;
}

export function openApiV2(registry: ResourceRegistry): object {
  return cached(registry, 'v2', () => {
    const schemas = new SchemaDocuments('#/definitions/');
    for (const type of registry.all()) schemas.add(type);
    return { swagger: '2.0', info: INFO, paths: {}, definitions: schemas.all };
  });
}

/** Returns the path of a version's document below `/openapi/v3/`. */
function documentPath(type: ResourceType): string {
  return type.group === '' ? `api/${type.version}` : `apis/${apiVersionOf(type)}`;
}

export function openApiV3Index(registry: ResourceRegistry): object {
  return cached(registry, 'v3', () => {
    const paths = [...new Set(registry.all().map(documentPath))].map((path) => {
      const hash = createHash('sha256')
        .update(JSON.stringify(openApiV3(registry, path)))
        .digest('hex');
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
    });
    return { paths: Object.fromEntries(paths) };
  });
}

export function openApiV3(registry: ResourceRegistry, path: string): object | undefined {
  const types = registry.all().filter((type) => documentPath(type) === path);
  if (types.length === 0) return undefined;
  return cached(registry, path, () => {
    const schemas = new SchemaDocuments('#/components/schemas/');
    for (const type of types) schemas.add(type);
    return {
      openapi: '3.0.0',
      info: INFO,
      paths: Object.fromEntries(types.map((type) => [objectPath(type), { patch: patchOperation(type) }])),
      components: { schemas: schemas.all },
    };
  });
}

function objectPath(type: ResourceType): string {
  const within = type.scope === 'Namespaced' ? 'namespaces/{namespace}/' : '';
  return `/${documentPath(type)}/${within}${type.plural}/{name}`;
}

/** kubectl reads from the parameters of this operation that the server supports `fieldValidation` and `dryRun`. */
function patchOperation({ group, version, kind }: ResourceType): object {
  const parameter = (name: string): object => ({ name, in: 'query', schema: { type: 'string' } });
  return {
    parameters: ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map(parameter),
    responses: { '200': { description: 'OK' } },
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}
