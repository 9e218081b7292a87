import type { FieldError } from '../../../status.ts';
import { forbiddenField, invalidField, requiredField, unsupportedField } from '../../../status.ts';
import type { JsonObject } from '../../../storage/stored-object.ts';
import { listAt } from '../../cells.ts';
import { dnsLabelErrors } from '../../names.ts';
import type { Change } from '../../resource-type.ts';
import { scalarText, valueAt } from '../../resource-type.ts';
import { nodeSelectorErrors } from '../affinity.ts';
import { interfaceAddressErrors } from '../ip-address.ts';
import { at, atMost, required, text } from '../rules.ts';
import { conditionsErrors } from '../status/conditions.ts';
import { driverNameErrors } from '../volume-source.ts';
import { adminResultErrors } from './admin-access.ts';
import { MOST_REQUESTS, referencesErrors } from './claim.ts';
import { configurationErrors, dataErrors } from './configuration.ts';
import { internalAllocation, isSameValue } from './internal.ts';
import { listErrors, tooLongField } from './lists.ts';
import type { RequestNames } from './names.ts';
import { poolNameErrors, requestNames, requestReferenceErrors } from './names.ts';

const MOST_CONSUMERS = 256;
const MOST_CONFIGURATIONS = 64;
const MOST_CONDITIONS = 8;
const MOST_ADDRESSES = 16;
const LONGEST_INTERFACE = 256;
const LONGEST_HARDWARE_ADDRESS = 128;
const SOURCES = ['FromClaim', 'FromClass'];

/** Validates a write of the status of a ResourceClaim (upstream: `ValidateResourceClaimStatusUpdate`). */
export function claimStatusErrors(change: Change): FieldError[] {
  const { object, previous } = change;
  const status = object['status'];
  const [allocation, earlier] = [object, previous].map((claim) => valueAt(claim, 'status.allocation'));
  const allocated = listAt(allocation, 'devices.results').map(deviceId).map(textOf);
  const known = requestNames(valueAt(object, 'spec.devices'));
  return [
    ...adminResultErrors(change),
    ...listErrors('status.reservedFor', listAt(status, 'reservedFor'), {
      limit: MOST_CONSUMERS,
      item: (field, consumer) => ['resource', 'name', 'uid'].flatMap((name) => required(at(consumer, field, name))),
      key: (consumer) => valueAt(consumer, 'uid') ?? '',
    }),
    ...listErrors('status.devices', listAt(status, 'devices'), {
      item: (field, device) => deviceErrors(field, device, allocated),
      key: deviceId,
    }),
    ...reservationErrors(change, allocation),
    ...(allocation === undefined
      ? []
      : earlier === undefined
        ? allocationErrors('status.allocation', allocation, known)
        : isSameValue(internalAllocation(allocation), internalAllocation(earlier))
          ? []
          : [invalidField('status.allocation', internalAllocation(allocation), 'field is immutable')]),
  ];
}

/** Removes the status of devices that this write deallocates (upstream: `dropDeallocatedStatusDevices`). */
export function dropDeallocated({ object, previous }: Change): void {
  const [now, before] = [object, previous].map(
    (claim) => new Set(listAt(claim, 'status.allocation.devices.results').map(deviceId).map(textOf)),
  );
  const devices = listAt(object, 'status.devices');
  const kept = devices.filter((device) => {
    const id = textOf(deviceId(device));
    return now?.has(id) || !before?.has(id);
  });
  if (kept.length === devices.length) return;
  const status = object['status'] as JsonObject;
  if (kept.length > 0) status['devices'] = kept;
  else Reflect.deleteProperty(status, 'devices');
}

/** Returns what identifies a device, as the Go type writes it. */
function deviceId(device: unknown): object {
  const [Driver, Pool, Device] = ['driver', 'pool', 'device'].map((field) => valueAt(device, field) ?? '');
  return { Driver, Pool, Device, ShareID: '' };
}

const textOf = (id: object): string => JSON.stringify(id);

function reservationErrors({ object, previous }: Change, allocation: unknown): FieldError[] {
  const field = 'status.reservedFor';
  const consumers = listAt(object, field);
  if (consumers.length === 0) return [];
  if (allocation === undefined) return [forbiddenField(field, 'may not be specified when `allocated` is not set')];
  if (object.metadata.deletionTimestamp === undefined) return [];
  const known = new Set(listAt(previous, field).map(consumerText));
  if (consumers.every((consumer) => known.has(consumerText(consumer)))) return [];
  const detail = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
  return [forbiddenField(field, detail)];
}

function consumerText(consumer: unknown): string {
  return JSON.stringify(['apiGroup', 'resource', 'name', 'uid'].map((field) => valueAt(consumer, field) ?? ''));
}

function deviceErrors(field: string, device: unknown, allocated: readonly string[]): FieldError[] {
  const id = deviceId(device);
  const data = valueAt(device, 'data') ?? undefined;
  return [
    ...driverNameErrors(at(device, field, 'driver')),
    ...poolNameErrors(at(device, field, 'pool')),
    ...text(at(device, field, 'device'), dnsLabelErrors),
    ...(allocated.includes(textOf(id)) ? [] : [invalidField(field, id, 'must be an allocated device in the claim')]),
    ...atMost(`${field}.conditions`, listAt(device, 'conditions').length, MOST_CONDITIONS),
    ...conditionsErrors(field, device),
    ...(data === undefined ? [] : dataErrors(`${field}.data`, data)),
    ...networkErrors(`${field}.networkData`, valueAt(device, 'networkData')),
  ];
}

function networkErrors(path: string, network: unknown): FieldError[] {
  const longer = (field: string, limit: number): FieldError[] =>
    Buffer.byteLength(scalarText(valueAt(network, field))) > limit ? [tooLongField(`${path}.${field}`, limit)] : [];
  return [
    ...longer('interfaceName', LONGEST_INTERFACE),
    ...longer('hardwareAddress', LONGEST_HARDWARE_ADDRESS),
    ...listErrors(`${path}.ips`, listAt(network, 'ips'), {
      limit: MOST_ADDRESSES,
      item: (field, address) => interfaceAddressErrors(field, scalarText(address)),
      key: scalarText,
    }),
  ];
}

function allocationErrors(field: string, allocation: unknown, known: RequestNames): FieldError[] {
  const devices = `${field}.devices`;
  const selector = valueAt(allocation, 'nodeSelector');
  return [
    ...listErrors(`${devices}.results`, listAt(allocation, 'devices.results'), {
      limit: MOST_REQUESTS,
      item: (place, result) => [
        ...requestReferenceErrors(`${place}.request`, scalarText(valueAt(result, 'request')), known),
        ...driverNameErrors(at(result, place, 'driver')),
        ...poolNameErrors(at(result, place, 'pool')),
        ...text(at(result, place, 'device'), dnsLabelErrors),
      ],
    }),
    ...listErrors(`${devices}.config`, listAt(allocation, 'devices.config'), {
      limit: MOST_CONFIGURATIONS,
      item: (place, configuration) => [
        ...sourceErrors(at(configuration, place, 'source')),
        ...referencesErrors(place, configuration, known),
        ...configurationErrors(place, configuration),
      ],
    }),
    ...(selector === undefined ? [] : nodeSelectorErrors(`${field}.nodeSelector`, selector)),
  ];
}

function sourceErrors([field, value]: readonly [string, unknown]): FieldError[] {
  const source = scalarText(value);
  if (source === '') return [requiredField(field, '')];
  return SOURCES.includes(source) ? [] : [unsupportedField(field, source, SOURCES)];
}
