import { dropTopology, endpointSliceErrors } from '../validation/endpoint-slice.ts';
import { ingressErrors } from '../validation/ingress.ts';
import { networkPolicyErrors } from '../validation/network-policy.ts';
import { ageColumn, nameColumn, textColumn } from '../columns.ts';
import { listAt } from '../cells.ts';
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
    columns: [nameColumn, textColumn('Class', 'spec.ingressClassName', '<none>'), ageColumn],
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    validate: networkPolicyErrors,
    plural: 'networkpolicies',
    shortNames: ['netpol'],
    countsGeneration: true,
  },
  {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    validate: endpointSliceErrors,
    plural: 'endpointslices',
    countsGeneration: true,
    generationBy: 'labels',
    admit: dropTopology,
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
