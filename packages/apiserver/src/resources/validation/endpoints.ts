import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../../status.ts';
import { requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { qualifiedNameErrors, subdomainErrors } from '../names.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { addressWarnings, endpointAddressErrors, legacyAddressErrors } from './ip-address.ts';
import { at, between, dnsLabel, oneOf, PROTOCOLS, required, textIfSet } from './rules.ts';

/** Validates Endpoints (upstream: `ValidateEndpoints`). */
export function endpointsErrors({ object, previous, warn }: Change): FieldError[] {
  const subsets = object['subsets'];
  const isSame = previous !== undefined && isDeepStrictEqual(subsets, previous['subsets']);
  const errors = isSame ? [] : listAt(object, 'subsets').flatMap((set, at_) => subsetErrors(`subsets[${at_}]`, set));
  const managed = object.metadata.labels?.['endpoints.kubernetes.io/managed-by'] === 'endpoint-controller';
  if (errors.length === 0 && !managed) for (const warning of subsetWarnings(object)) warn?.(warning);
  return errors;
}

const LISTS = ['addresses', 'notReadyAddresses'] as const;

function subsetErrors(field: string, subset: unknown): FieldError[] {
  const isEmptySet = LISTS.every((list) => listAt(subset, list).length === 0);
  const ports = listAt(subset, 'ports');
  return [
    ...(isEmptySet ? [requiredField(field, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...LISTS.flatMap((list) =>
      listAt(subset, list).flatMap((each, index) => subsetAddressErrors(`${field}.${list}[${index}]`, each)),
    ),
    ...ports.flatMap((port, index) => {
      const place = (name: string): readonly [string, unknown] => at(port, `${field}.ports[${index}]`, name);
      return [
        ...(ports.length > 1 ? required(place('name')) : []),
        ...dnsLabel(place('name')),
        ...between([place('port')[0], valueAt(port, 'port') ?? 0], 1, 65_535),
        ...oneOf(place('protocol'), PROTOCOLS),
        ...textIfSet(place('appProtocol'), qualifiedNameErrors),
      ];
    }),
  ];
}

function subsetAddressErrors(field: string, address: unknown): FieldError[] {
  const ip = scalarText(valueAt(address, 'ip'));
  return [
    ...legacyAddressErrors(`${field}.ip`, ip),
    ...dnsLabel(at(address, field, 'hostname')),
    ...textIfSet(at(address, field, 'nodeName'), subdomainErrors),
    ...endpointAddressErrors(`${field}.ip`, ip),
  ];
}

function subsetWarnings(object: unknown): string[] {
  return listAt(object, 'subsets').flatMap((subset, index) =>
    LISTS.flatMap((list) =>
      listAt(subset, list).flatMap((each, at_) =>
        addressWarnings(`subsets[${index}].${list}[${at_}].ip`, scalarText(valueAt(each, 'ip'))),
      ),
    ),
  );
}
