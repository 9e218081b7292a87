import { admitEndpointSlice, endpointSliceErrors } from '../validation/endpoint-slice.ts';
import { ingressErrors } from '../validation/ingress.ts';
import { networkPolicyErrors } from '../validation/network-policy.ts';
import { ageColumn, nameColumn, textColumn } from '../columns.ts';
import { listAt, selectorCell } from '../cells.ts';
import type { ApiObject } from '../../storage/stored-object.ts';
import type { KindRow } from '../kind-row.ts';
import { scalarText, valueAt } from '../resource-type.ts';

/** Number of ports and addresses that a cell shows. */
const SHOWN = 3;

function fewOf(texts: readonly string[]): string {
  const shown = texts.slice(0, SHOWN).join(',');
  return texts.length > SHOWN ? `${shown} + ${texts.length - SHOWN} more...` : shown || '<unset>';
}

function portText(port: unknown): string {
  const number = valueAt(port, 'port') ?? valueAt(port, 'name');
  return number === undefined ? '*' : scalarText(number);
}

/** Returns the first hosts of the rules of an Ingress. A rule without a host counts, too, once there are enough. */
function hostsText(ingress: ApiObject): string {
  const rules = listAt(ingress, 'spec.rules').map((rule) => scalarText(valueAt(rule, 'host')));
  const hosts: string[] = [];
  let hasMore = false;
  for (const host of rules) {
    if (hosts.length === SHOWN) hasMore = true;
    else if (host !== '') hosts.push(host);
  }
  const text = hosts.join(',') || '*';
  return hasMore ? `${text} + ${rules.length - SHOWN} more...` : text;
}

function ingressAddress(ingress: ApiObject): string {
  const addresses = listAt(ingress, 'status.loadBalancer.ingress').map((each) =>
    scalarText(valueAt(each, 'ip') || valueAt(each, 'hostname')),
  );
  return [...new Set(addresses.filter((address) => address !== ''))].toSorted().join(',');
}

/** Networking and discovery. */
export const networkingKinds: readonly KindRow[] = [
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    validate: ingressErrors,
    plural: 'ingresses',
    shortNames: ['ing'],
    statusSubresource: true,
    countsGeneration: true,
    columns: [
      nameColumn,
      textColumn('Class', 'spec.ingressClassName', '<none>'),
      { name: 'Hosts', type: 'string', cell: hostsText },
      { name: 'Address', type: 'string', cell: ingressAddress },
      {
        name: 'Ports',
        type: 'string',
        cell: (ingress) => (listAt(ingress, 'spec.tls').length > 0 ? '80, 443' : '80'),
      },
      ageColumn,
    ],
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    validate: networkPolicyErrors,
    plural: 'networkpolicies',
    shortNames: ['netpol'],
    countsGeneration: true,
    countsEmptyCollections: true,
    columns: [nameColumn, { name: 'Pod-Selector', type: 'string', cell: selectorCell('spec.podSelector') }, ageColumn],
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    validate: endpointSliceErrors,
    plural: 'endpointslices',
    countsGeneration: true,
    generationBy: 'labels',
    admit: admitEndpointSlice,
    columns: [
      nameColumn,
      textColumn('AddressType', 'addressType'),
      { name: 'Ports', type: 'string', cell: (slice) => fewOf(listAt(slice, 'ports').map(portText)) },
      {
        name: 'Endpoints',
        type: 'string',
        cell: (slice) =>
          fewOf(listAt(slice, 'endpoints').flatMap((endpoint) => listAt(endpoint, 'addresses').map(scalarText))),
      },
      ageColumn,
    ],
  },
];
