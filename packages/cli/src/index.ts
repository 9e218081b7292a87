export {
  type Definition,
  type DefinitionColumn,
  type DefinitionNames,
  type DefinitionVersion,
  parseDefinition,
} from './types/definitions/definition.ts';
export { type KindModule, kindModules, type ModuleOptions } from './types/module/kind-module.ts';
export type {
  AnyConverters,
  AnyKind,
  CelRule,
  ColumnType,
  Converted,
  Converters,
  CrdColumn,
  KindDefinition,
  KindVersions,
  KubernetesMeta,
  PrinterColumn,
  ScalePaths,
  SchemaKind,
  ServerKeywords,
  StructuralSchema,
} from '@mcr/kinds';
export type { McrConfig, McrDeployment, McrResources, McrWebhooks } from './project/mcr-config.ts';
