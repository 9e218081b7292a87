import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { duplicateField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { qualifiedNameErrors, subdomainErrors } from '../names.ts';
import { formatQuantity, parseQuantity } from '../quantity.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { at, IMMUTABLE, nonNegative, supported, text, unchanged, unique } from './rules.ts';
import { orderedSelector, selectorErrors } from './selector.ts';
import { driverNameErrors } from './volume-source.ts';

/* Rules and messages follow `pkg/apis/storage/validation`. */

const LONGEST_NODE_ID = 192;

/** Validates a CSINode. */
export function csiNodeErrors({ object, previous }: Change): FieldError[] {
  const drivers = listAt(object, 'spec.drivers');
  const names = drivers.map((driver) => scalarText(valueAt(driver, 'name')));
  const errors = drivers.flatMap((driver, index) => [
    ...driverErrors(`spec.drivers[${index}]`, driver),
    ...unique(`spec.drivers[${index}].name`, index, names),
    ...topologyKeyErrors(`spec.drivers[${index}]`, listAt(driver, 'topologyKeys')),
  ]);
  const changed = listAt(previous, 'spec.drivers').flatMap((before) =>
    drivers
      .filter((driver) => valueAt(driver, 'name') === valueAt(before, 'name'))
      .filter((driver) => !isDeepStrictEqual(internal(driver), internal(before)))
      .map((driver) => invalidField('spec.drivers', internal(driver), IMMUTABLE)),
  );
  return [...errors, ...changed];
}

function driverErrors(field: string, driver: unknown): FieldError[] {
  const [idField, value] = at(driver, field, 'nodeID');
  const id = scalarText(value);
  return [
    ...driverNameErrors(at(driver, field, 'name')),
    ...(id === '' ? [requiredField(idField, '')] : []),
    ...(id.length > LONGEST_NODE_ID
      ? [invalidField(idField, id, `must be ${LONGEST_NODE_ID} characters or less`)]
      : []),
    ...nonNegative([`${field}.allocatable.count`, valueAt(driver, 'allocatable.count')]),
  ];
}

/** Upstream leaves the list of the keys out of the path. */
function topologyKeyErrors(field: string, keys: readonly unknown[]): FieldError[] {
  return keys.flatMap((key, index) => [
    ...(key === '' ? [requiredField(field, '')] : []),
    ...(keys.indexOf(key) < index ? [duplicateField(field, key)] : []),
    ...text([field, key], qualifiedNameErrors),
  ]);
}

/** Returns the part of a driver that does not change, as the internal type of upstream writes it. */
function internal(driver: unknown): object {
  const keys = valueAt(driver, 'topologyKeys') ?? null;
  const [name, id] = ['name', 'nodeID'].map((field) => scalarText(valueAt(driver, field)));
  return { Name: name, NodeID: id, TopologyKeys: keys, Allocatable: null };
}

const SHORTEST_TOKEN = 600;
const LONGEST_TOKEN = 2 ** 32;

/** Validates a CSIDriver. */
export function csiDriverErrors({ object, previous, warn }: Change): FieldError[] {
  const spec = object['spec'];
  const place = (field: string): readonly [string, unknown] => at(spec, 'spec', field);
  const [before, modes] = [previous?.['spec'], listAt(spec, 'volumeLifecycleModes')];
  const requests = listAt(spec, 'tokenRequests');
  const [secretsField, secrets] = place('serviceAccountTokenInSecrets');
  const [periodField, period] = place('nodeAllocatableUpdatePeriodSeconds');
  const isShort = typeof period === 'number' && period < 10;
  const errors = [
    ...supported(place('fsGroupPolicy'), ['File', 'None', 'ReadWriteOnceWithFSType']),
    ...tokenErrors(requests),
    ...modes.flatMap((mode) => supported(['spec.volumeLifecycleModes', mode], ['Persistent', 'Ephemeral'])),
    ...(isShort ? [invalidField(periodField, period, 'must be greater than or equal to 10 seconds')] : []),
    ...(secrets !== undefined && requests.length === 0
      ? [invalidField(secretsField, secrets, 'serviceAccountTokenInSecrets is set but no tokenRequests are specified')]
      : []),
    ...(previous
      ? [
          ...unchanged(['spec.attachedRequired', valueAt(spec, 'attachRequired')], valueAt(before, 'attachRequired')),
          ...unchanged(place('volumeLifecycleModes'), valueAt(before, 'volumeLifecycleModes')),
        ]
      : []),
  ];
  const isSame = previous !== undefined && isDeepStrictEqual(requests, listAt(before, 'tokenRequests'));
  if (errors.length === 0 && !isSame && requests.length > 0 && secrets === undefined) warn?.(UNSET_SECRETS);
  return errors;
}

const UNSET_SECRETS =
  'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes';

function tokenErrors(requests: readonly unknown[]): FieldError[] {
  const audiences = requests.map((request) => scalarText(valueAt(request, 'audience')));
  return requests.flatMap((request, index) => {
    const field = `spec.tokenRequests[${index}]`;
    if (audiences.indexOf(audiences[index] ?? '') < index) {
      return [duplicateField(`${field}.audience`, audiences[index])];
    }
    const seconds = valueAt(request, 'expirationSeconds');
    if (typeof seconds !== 'number') return [];
    const limit =
      seconds < SHORTEST_TOKEN
        ? 'less than 10 minutes'
        : seconds > LONGEST_TOKEN
          ? 'larger than 2^32 seconds'
          : undefined;
    if (limit === undefined) return [];
    return [invalidField(`${field}.expirationSeconds`, seconds, `may not specify a duration ${limit}`)];
  });
}

/** Validates a CSIStorageCapacity. */
export function storageCapacityErrors({ object, previous }: Change): FieldError[] {
  const capacity = parseQuantity(object['capacity']);
  const [topology, before] = [object, previous].map((each) => orderedSelector(each?.['nodeTopology']));
  const name = ['storageClassName', object['storageClassName']] as const;
  return [
    ...selectorErrors(['nodeTopology', object['nodeTopology']]),
    ...text(name, subdomainErrors),
    ...(capacity && capacity.nano < 0n
      ? [invalidField('capacity', formatQuantity(capacity), 'must be greater than or equal to 0')]
      : []),
    ...(previous ? unchanged(['nodeTopology', topology], before) : []),
    ...(previous ? unchanged([name[0], name[1] ?? ''], previous['storageClassName']) : []),
  ];
}
