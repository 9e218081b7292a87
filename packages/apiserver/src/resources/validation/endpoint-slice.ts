import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { invalidField, requiredField } from '../../status.ts';
import type { ApiObject } from '../../storage/stored-object.ts';
import { listAt } from '../cells.ts';
import { dnsLabelErrors, labelValueErrors, qualifiedNameErrors, subdomainErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { addressErrors, addressWarnings, endpointAddressErrors, familyOf, legacyAddressErrors } from './ip-address.ts';
import {
  at,
  atMost,
  dnsLabel,
  oneOf,
  PROTOCOLS,
  required,
  supported,
  text,
  textIfSet,
  unchanged,
  unique,
} from './rules.ts';

/** Limits of an EndpointSlice. */
const MOST = { ports: 20_000, endpoints: 1_000, addresses: 100, hints: 8 };

/** Validates an EndpointSlice (upstream: `ValidateEndpointSlice`). */
export function endpointSliceErrors({ object, previous, warn }: Change): FieldError[] {
  const type = object['addressType'];
  const isSame = previous !== undefined && isDeepStrictEqual(object['endpoints'], previous['endpoints']);
  const errors = [
    ...required(['addressType', type]),
    ...oneOf(['addressType', type], ['FQDN', 'IPv4', 'IPv6']),
    ...slicePortErrors(listAt(object, 'ports')),
    ...(isSame ? [] : endpointListErrors(listAt(object, 'endpoints'), type)),
    ...(previous ? unchanged(['addressType', type ?? ''], previous['addressType']) : []),
  ];
  if (errors.length === 0) for (const warning of sliceWarnings(object, previous === undefined)) warn?.(warning);
  return errors;
}

function slicePortErrors(ports: readonly unknown[]): FieldError[] {
  if (ports.length > MOST.ports) return atMost('ports', ports.length, MOST.ports);
  const names = ports.map((port) => scalarText(valueAt(port, 'name')));
  return ports.flatMap((port, index) => {
    const field = `ports[${index}]`;
    return [
      ...dnsLabel([`${field}.name`, names[index]]),
      ...unique(`${field}.name`, index, names),
      ...supported(at(port, field, 'protocol'), PROTOCOLS),
      ...textIfSet(at(port, field, 'appProtocol'), qualifiedNameErrors),
    ];
  });
}

function endpointListErrors(endpoints: readonly unknown[], type: unknown): FieldError[] {
  if (endpoints.length > MOST.endpoints) return atMost('endpoints', endpoints.length, MOST.endpoints);
  return endpoints.flatMap((endpoint, index) => endpointErrors(`endpoints[${index}]`, endpoint, type));
}

function endpointErrors(field: string, endpoint: unknown, type: unknown): FieldError[] {
  const place = `${field}.addresses`;
  const addresses = listAt(endpoint, 'addresses').map(scalarText);
  return [
    ...(addresses.length === 0 ? [requiredField(place, 'must contain at least 1 address')] : []),
    ...atMost(place, addresses.length, MOST.addresses),
    ...addresses.flatMap((address, index) => sliceAddressErrors(`${place}[${index}]`, address, type)),
    ...textIfSet(at(endpoint, field, 'nodeName'), subdomainErrors),
    ...textIfSet(at(endpoint, field, 'hostname'), dnsLabelErrors),
    ...hintErrors(`${field}.hints`, valueAt(endpoint, 'hints')),
  ];
}

function sliceAddressErrors(field: string, address: string, type: unknown): FieldError[] {
  if (type === 'FQDN') return domainErrors(field, address);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const errors = type === 'IPv4' ? legacyAddressErrors(field, address) : addressErrors(field, address);
  if (errors.length > 0) return errors;
  const list = field.replace(/\[\d+\]$/u, '');
  return [
    ...(familyOf(address) === type ? [] : [invalidField(list, address, `must be an ${type} address`)]),
    ...endpointAddressErrors(field, address),
  ];
}

/** Validates the name of a host in a domain. Upstream joins the errors of a part. */
function domainErrors(field: string, value: string): FieldError[] {
  if (value === '') return [requiredField(field, '')];
  const name = value.replace(/\.$/u, '');
  const labels = name.split('.');
  const details = subdomainErrors(name);
  if (details.length > 0) return [invalidField(field, name, details.join(','))];
  if (labels.length < 2) {
    return [invalidField(field, name, 'should be a domain with at least two segments separated by dots')];
  }
  const wrong = labels.find((label) => dnsLabelErrors(label).length > 0);
  return wrong === undefined ? [] : [invalidField(field, wrong, dnsLabelErrors(wrong).join(','))];
}

function hintErrors(field: string, hints: unknown): FieldError[] {
  const errors: FieldError[] = [];
  for (const [list, check] of [
    ['forZones', labelValueErrors],
    ['forNodes', subdomainErrors],
  ] as const) {
    const names = listAt(hints, list).map((each) => scalarText(valueAt(each, 'name')));
    if (names.length > MOST.hints) return [...errors, ...atMost(`${field}.${list}`, names.length, MOST.hints)];
    for (const [index, name] of names.entries()) {
      const place = `${field}.${list}[${index}].name`;
      errors.push(...unique(place, index, names), ...text([place, name], check));
    }
  }
  return errors;
}

const CONTROLLERS = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

function sliceWarnings(object: ApiObject, isNew: boolean): string[] {
  if (object['addressType'] === 'FQDN') return isNew ? ['spec.addressType: FQDN endpoints are deprecated'] : [];
  if (CONTROLLERS.includes(object.metadata.labels?.['endpointslice.kubernetes.io/managed-by'] ?? '')) return [];
  return listAt(object, 'endpoints').flatMap((endpoint, index) =>
    listAt(endpoint, 'addresses').flatMap((address, at_) =>
      addressWarnings(`endpoints[${index}].addresses[${at_}]`, scalarText(address)),
    ),
  );
}

/** Drops the topology of endpoints, which this version does not write. */
function dropTopology({ object, previous }: Pick<Change, 'object' | 'previous'>): void {
  if (previous && isDeepStrictEqual(object['endpoints'], previous['endpoints'])) return;
  for (const endpoint of listAt(object, 'endpoints')) {
    Reflect.deleteProperty(endpoint as object, 'deprecatedTopology');
  }
}

/** Replaces empty lists by `null`, as a real server stores them. The manager that sent a list owns it. */
export function admitEndpointSlice(change: Pick<Change, 'object' | 'previous'>): void {
  dropTopology(change);
  const { object } = change;
  for (const field of ['endpoints', 'ports']) if (listAt(object, field).length === 0) object[field] = null;
}
