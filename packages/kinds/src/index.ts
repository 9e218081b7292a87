export { crdOf, type CrdManifest } from './crd/crd-of.ts';
export * from './kind/define-kind.ts';
export type { CheckedPath, ValueAt } from './kind/path-types.ts';
export type { PrinterColumn } from './kind/printer-columns.ts';
export * as k8s from './k8s/index.ts';
export type { CelRule, KubernetesMeta, StructuralSchema } from './structural/structural-schema.ts';
export { SchemaError } from './walk/schema-error.ts';
import './global-meta.ts';

export { newObject } from './kind/new-object.ts';
export type { ObjectOf } from '@mcr/client';
