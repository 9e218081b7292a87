export { crdOf, type ConversionClient, type CrdOptions } from './crd/crd-of.ts';
export * from './kind/define-kind.ts';
export type { KindDefinition } from './kind/kind-definition.ts';
export type { CheckedPath, FieldOf, ItemOf, NameIn, PresentValue, ValueAt, ValueAtName } from './kind/path-types.ts';
export type { ColumnType, CrdColumn, PrinterColumn } from './kind/printer-columns.ts';
export * as k8s from './k8s/index.ts';
export type { CelRule, CrdManifest } from '@mcr/client';
export type { KubernetesMeta, ServerKeywords, StructuralSchema } from './structural/structural-schema.ts';
export type { ScalePaths } from './kind/subresources.ts';
export type { TranslationOptions } from './walk/schema-path.ts';
export { SchemaError } from './walk/schema-error.ts';
export { structuralSchemaOf } from './walk/structural-schema-of.ts';
import './global-meta.ts';

export { newObject } from './kind/new-object.ts';
export type { ObjectOf } from '@mcr/client';
export * from './versions/define-kind-versions.ts';
export type { AnyConverters, AnyKind, Converted, Converters } from './versions/kind-versions.ts';
export { KindVersions } from './versions/kind-versions.ts';
