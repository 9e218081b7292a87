import type { Scope } from '@mcr/client';
import type { ResourceType } from './resource-type.ts';

/** A row of the kind table. Omitted columns have defaults. */
export interface KindRow
  extends
    Pick<ResourceType, 'kind' | 'plural'>,
    Partial<
      Pick<
        ResourceType,
        | 'singular'
        | 'shortNames'
        | 'categories'
        | 'storage'
        | 'statusSubresource'
        | 'countsGeneration'
        | 'countsEmptyCollections'
        | 'keepsFirstStatus'
        | 'createsOnUpdate'
        | 'statusCreates'
        | 'requiresVersion'
        | 'returnsDeleted'
        | 'deprecation'
        | 'nameRule'
        | 'convertedAnnotations'
        | 'fields'
        | 'fieldLabels'
        | 'immutable'
        | 'columns'
        | 'scale'
        | 'review'
        | 'statusMetadata'
        | 'generationBy'
        | 'prepare'
        | 'preparePart'
        | 'admit'
        | 'admitPart'
        | 'admitValid'
        | 'validate'
        | 'judge'
        | 'warnings'
        | 'placesMetadataErrors'
        | 'settle'
        | 'view'
      >
    > {
  readonly apiVersion: string;
  /** Default: Namespaced. */
  readonly scope?: Scope;
  /** Name in the tables of types. Default: `kind`. */
  readonly schemaType?: string;
}
