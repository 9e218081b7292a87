import type { FieldError } from '../../../status.ts';
import { invalidField } from '../../../status.ts';
import { listAt } from '../../cells.ts';
import { scalarText, valueAt } from '../../resource-type.ts';
import { familyOf, legacyAddressErrors, parseAddress } from '../ip-address.ts';

/** Validates the addresses of a Pod and of its host (upstream: `validatePodIPs` and `validateHostIPs`). */
export function podAddressErrors(pod: unknown, previous: unknown): FieldError[] {
  const [host] = addressesOf(pod, 'hostIPs');
  const expected = scalarText(valueAt(pod, 'status.hostIP'));
  return [
    ...addressErrors('podIPs', pod, previous),
    ...(host !== undefined && host !== expected
      ? [invalidField('status.hostIPs[0].ip', host, 'must be equal to `hostIP`')]
      : []),
    ...addressErrors('hostIPs', pod, previous),
  ];
}

function addressesOf(pod: unknown, list: string): string[] {
  return listAt(pod, `status.${list}`).map((each) => scalarText(valueAt(each, 'ip')));
}

function addressErrors(list: string, pod: unknown, previous: unknown): FieldError[] {
  const field = `status.${list}`;
  const addresses = addressesOf(pod, list);
  const before = addressesOf(previous, list);
  const errors = addresses.flatMap((address, index) => legacyAddressErrors(`${field}[${index}]`, address, before));
  return addresses.length > 1 ? [...errors, ...familyErrors(field, addresses)] : errors;
}

/** A list can have one address of each family. */
function familyErrors(field: string, addresses: readonly string[]): FieldError[] {
  const families = new Set<unknown>();
  let message: string | undefined;
  for (const [index, address] of addresses.entries()) {
    if (parseAddress(address)) families.add(familyOf(address));
    else message ??= `invalid IP[${index}]: ${address}`;
  }
  const shown = addresses.map((address) => ({ IP: address }));
  const isPair = message === undefined && families.size === 2 && addresses.length === 2;
  return [
    ...(message === undefined
      ? []
      : [
          {
            reason: 'InternalError',
            field,
            message: `Internal error: failed to check for dual stack with error:${message}`,
          } as const,
        ]),
    ...(isPair ? [] : [invalidField(field, shown, 'may specify no more than one IP for each IP family')]),
  ];
}
