import type { ResourceType } from '../resources/resource-type.ts';
import { apiVersionOf } from '../resources/resource-type.ts';
import type { ApiObject } from '../storage/stored-object.ts';
import type { Attributes, VersionedKind } from './attributes.ts';

/** The objects of a write in one version. */
export interface VersionedAttributes {
  readonly attributes: Attributes;
  readonly type: ResourceType;
  readonly kind: VersionedKind;
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
}

/** Returns the objects of a write in the version of the request. */
export function asRequested(attributes: Attributes): VersionedAttributes {
  const { type, kind, object, oldObject } = attributes;
  return { attributes, type, kind, object, oldObject };
}

/** Returns the objects in the version of another type. @throws {StatusError} 500 if a conversion webhook fails. */
export async function toVersion(from: VersionedAttributes, type: ResourceType): Promise<VersionedAttributes> {
  // A subresource with a kind of its own has that kind in every version.
  const isOwn = from.kind.kind === from.type.kind && from.kind.group === from.type.group;
  if (type === from.type) return from;
  if (!isOwn) return { ...from, type };
  const convert = async (object: ApiObject | undefined): Promise<ApiObject | undefined> =>
    object && (await convertObject(from.type, type, object));
  const [object, oldObject] = [await convert(from.object), await convert(from.oldObject)];
  return { attributes: from.attributes, type, kind: type, object, oldObject };
}

async function convertObject(from: ResourceType, to: ResourceType, object: ApiObject): Promise<ApiObject> {
  if (to.conversion) {
    const [converted = object] = await to.conversion.fromStored([object]);
    return converted;
  }
  const copy = structuredClone(object);
  const stored = from.view ? from.view.toStored(copy) : copy;
  return to.view ? to.view.fromStored(stored) : { ...stored, apiVersion: apiVersionOf(to) };
}
