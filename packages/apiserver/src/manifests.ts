// Manifests in files, such as CustomResourceDefinitions. This module does not load the server.
export { parseManifests, readManifests } from './manifests/manifest-files.ts';
export type { Manifest, ParseManifestsOptions } from './manifests/manifest-files.ts';
export { readDefinitions } from './manifests/read-definitions.ts';
