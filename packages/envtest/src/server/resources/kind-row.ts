import type { Scope } from '@mcr/client';
import type { ResourceType } from './resource-type.ts';

/** What a row has to say of its kind; the rest has defaults. */
export interface KindRow
  extends
    Pick<ResourceType, 'kind' | 'plural'>,
    Partial<
      Pick<
        ResourceType,
        | 'shortNames'
        | 'categories'
        | 'storage'
        | 'statusSubresource'
        | 'countsGeneration'
        | 'createsOnUpdate'
        | 'nameRule'
        | 'fields'
        | 'immutable'
        | 'columns'
        | 'scale'
        | 'review'
        | 'prepare'
        | 'validate'
        | 'view'
      >
    > {
  readonly apiVersion: string;
  /** Default: Namespaced. */
  readonly scope?: Scope;
  /** Its name in the tables of types. Default: `kind`. */
  readonly schemaType?: string;
}
