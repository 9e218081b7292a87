import { isDeepStrictEqual } from 'node:util';
import { emptyCollection } from '../../schema/empty-collections.ts';
import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { pathSegmentErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { addressErrors, blockErrors, parseBlock } from './ip-address.ts';
import { at, IMMUTABLE, pathSegment, requiredText, subdomain } from './rules.ts';

/** Rules and messages follow `pkg/apis/networking/validation`. */

const BLOCKS = 'spec.cidrs';

/** Validates a ServiceCIDR. An update may add a block of the other family, and change nothing else. */
export function serviceRangeErrors({ object, previous, subresource }: Change): FieldError[] {
  if (subresource !== undefined) return [];
  const blocks = listAt(object, BLOCKS).map(scalarText);
  if (!previous) return rangeErrors(blocks);
  const before = listAt(previous, BLOCKS).map(scalarText);
  const isAdded = before.length === 1 && blocks.length === 2;
  if (!isAdded && blocks.length !== before.length) {
    const shown = valueAt(object, BLOCKS) ?? emptyCollection(object['spec'], 'cidrs');
    return [invalidField(BLOCKS, shown, IMMUTABLE)];
  }
  const changed = before.flatMap((block, index) =>
    block === blocks[index] ? [] : [invalidField(`${BLOCKS}[${index}]`, blocks[index], IMMUTABLE)],
  );
  return isAdded ? [...changed, ...rangeErrors(blocks)] : changed;
}

function rangeErrors(blocks: readonly string[]): FieldError[] {
  if (blocks.length === 0) return [requiredField(BLOCKS, 'at least one CIDR required')];
  if (blocks.length > 2) return [invalidField(BLOCKS, { CIDRs: blocks }, 'may only hold up to 2 values')];
  const [first, second] = blocks.map((block) => parseBlock(block)?.bits);
  const isSame = blocks.length === 2 && first !== undefined && first === second;
  const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [
    ...blocks.flatMap((block, index) => blockErrors(`${BLOCKS}[${index}]`, block)),
    ...(isSame ? [invalidField(BLOCKS, blocks, detail)] : []),
  ];
}

/** Validates an IPAddress, whose name is the address. */
export function ipAddressErrors({ object, previous }: Change): FieldError[] {
  const { name, generateName = '' } = object.metadata;
  const [field, parent] = at(object['spec'], 'spec', 'parentRef');
  const before = valueAt(previous, 'spec.parentRef');
  const isChanged = previous !== undefined && !isDeepStrictEqual(internal(parent), internal(before));
  return [
    ...(generateName === '' || previous ? [] : addressErrors('metadata.generateName', generateName)),
    ...(name === '' ? [] : addressErrors('metadata.name', name)),
    ...(parent === undefined ? [requiredField(field, '')] : parentErrors(field, parent)),
    ...(isChanged ? [invalidField(field, internal(parent), IMMUTABLE)] : []),
  ];
}

/** Validates the reference of an IPAddress to the object that uses it. */
export function parentErrors(field: string, parent: unknown): FieldError[] {
  return [
    ...subdomain(at(parent, field, 'group')),
    ...requiredText(at(parent, field, 'resource'), pathSegmentErrors),
    ...requiredText(at(parent, field, 'name'), pathSegmentErrors),
    ...pathSegment(at(parent, field, 'namespace')),
  ];
}

/** Returns a reference as the internal type of upstream writes it. */
function internal(parent: unknown): object | null {
  if (parent === undefined) return null;
  const of = (field: string): string => scalarText(valueAt(parent, field));
  return { Group: of('group'), Resource: of('resource'), Namespace: of('namespace'), Name: of('name') };
}
