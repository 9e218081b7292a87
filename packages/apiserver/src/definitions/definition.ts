import { isDeepStrictEqual } from 'node:util';
import type { ApiObject } from '../storage/stored-object.ts';
import type { JsonSchema } from './json-schema.ts';

/** Storage of CustomResourceDefinitions. */
export const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

/** Spec of a CustomResourceDefinition, after the types of its fields were checked. All fields may be absent. */
export interface DefinitionSpec {
  readonly group?: string;
  readonly scope?: string;
  readonly names?: DefinitionNames;
  readonly preserveUnknownFields?: boolean;
  readonly versions?: readonly DefinitionVersion[];
  readonly conversion?: DefinitionConversion;
}

export interface DefinitionNames {
  readonly plural?: string;
  readonly singular?: string;
  readonly kind?: string;
  readonly listKind?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** Parts that a version has of its own or shares with all others. */
export interface VersionParts {
  readonly schema?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: Subresources;
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath?: string }[];
}

export interface DefinitionVersion extends VersionParts {
  readonly name?: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
}

export interface Subresources {
  readonly status?: object;
  readonly scale?: {
    readonly specReplicasPath?: string;
    readonly statusReplicasPath?: string;
    readonly labelSelectorPath?: string;
  };
}

export interface PrinterColumn {
  readonly name?: string;
  readonly type?: string;
  readonly jsonPath?: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
}

export interface DefinitionConversion {
  readonly strategy?: string;
  readonly webhook?: {
    readonly clientConfig?: ConversionClientConfig;
    readonly conversionReviewVersions?: readonly string[];
  };
}

export interface ConversionClientConfig {
  readonly url?: string;
  readonly service?: {
    readonly namespace?: string;
    readonly name?: string;
    readonly path?: string;
    readonly port?: number;
  };
  /** PEM, in base64. */
  readonly caBundle?: string;
}

/** Returns the spec of a definition, whose types were checked when it was decoded. */
export function specOf(definition: ApiObject): DefinitionSpec {
  return definition['spec'] ?? {};
}

/**
 * The internal form that kube-apiserver validates, and that paths in errors refer to: a part that is the same in all
 * versions moves to the top level. (Upstream: `pkg/apis/apiextensions/v1/conversion.go`.)
 */
export interface InternalSpec extends Omit<DefinitionSpec, 'versions'> {
  readonly versions: readonly DefinitionVersion[];
  /** Whether the definition has a list of versions, which may be empty. */
  readonly areVersionsSet: boolean;
  readonly shared: VersionParts;
}

const PARTS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

export function internalSpec({ versions: sent, ...spec }: DefinitionSpec): InternalSpec {
  const versions = sent ?? [];
  const [first] = versions;
  const isShared = (part: (typeof PARTS)[number]): boolean =>
    versions.every((version) => isDeepStrictEqual(version[part], first?.[part]));
  const shared = PARTS.filter(isShared);
  const select = (version: DefinitionVersion | undefined, wanted: boolean): DefinitionVersion =>
    Object.fromEntries(
      Object.entries(version ?? {}).filter(([field]) => shared.some((part) => part === field) === wanted),
    );
  const { schema, subresources, additionalPrinterColumns, selectableFields } = select(first, true);
  return {
    ...spec,
    versions: versions.map((version) => select(version, false)),
    areVersionsSet: sent !== undefined,
    shared: {
      ...(schema && { schema }),
      ...(subresources && { subresources }),
      ...(additionalPrinterColumns && { additionalPrinterColumns }),
      ...(selectableFields && { selectableFields }),
    },
  };
}

/** Returns whether a condition of a definition is true. */
export function hasCondition(definition: ApiObject | undefined, type: string): boolean {
  const status = (definition?.['status'] ?? {}) as { conditions?: readonly { type?: string; status?: string }[] };
  return status.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}
