import { createHash } from 'node:crypto';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';

const INFO = { title: 'Kubernetes', version: 'v1.33.0' };

/** What a schema says of every kind: that its fields are open. */
function schemaOf({ group, version, kind }: ResourceType): object {
  return {
    type: 'object',
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } },
    'x-kubernetes-group-version-kind': [{ group, version, kind }],
    'x-kubernetes-preserve-unknown-fields': true,
  };
}

function schemaName({ group, version, kind }: ResourceType): string {
  const reversed = group === '' ? 'io.k8s.api.core' : group.split('.').reverse().join('.');
  return `${reversed}.${version}.${kind}`;
}

export function openApiV2(registry: ResourceRegistry): object {
  const definitions = registry.all().map((type) => [schemaName(type), schemaOf(type)] as const);
  return { swagger: '2.0', info: INFO, paths: {}, definitions: Object.fromEntries(definitions) };
}

/** The path of a version's document below `/openapi/v3/`. */
function documentPath(type: ResourceType): string {
  return type.group === '' ? `api/${type.version}` : `apis/${apiVersionOf(type)}`;
}

export function openApiV3Index(registry: ResourceRegistry): object {
  const paths = [...new Set(registry.all().map(documentPath))].map((path) => {
    const hash = createHash('sha256')
      .update(JSON.stringify(openApiV3(registry, path)))
      .digest('hex');
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }] as const;
  });
  return { paths: Object.fromEntries(paths) };
}

export function openApiV3(registry: ResourceRegistry, path: string): object | undefined {
  const types = registry.all().filter((type) => documentPath(type) === path);
  if (types.length === 0) return undefined;
  return {
    openapi: '3.0.0',
    info: INFO,
    paths: Object.fromEntries(types.map((type) => [objectPath(type), { patch: patchOperation(type) }])),
    components: { schemas: Object.fromEntries(types.map((type) => [schemaName(type), schemaOf(type)])) },
  };
}

function objectPath(type: ResourceType): string {
  const within = type.scope === 'Namespaced' ? 'namespaces/{namespace}/' : '';
  return `/${documentPath(type)}/${within}${type.plural}/{name}`;
}

/** From this operation's parameters kubectl learns that the server takes `fieldValidation` and `dryRun`. */
function patchOperation({ group, version, kind }: ResourceType): object {
  const parameter = (name: string): object => ({ name, in: 'query', schema: { type: 'string' } });
  return {
    parameters: ['dryRun', 'fieldManager', 'fieldValidation', 'force'].map(parameter),
    responses: { '200': { description: 'OK' } },
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group, version, kind },
  };
}
