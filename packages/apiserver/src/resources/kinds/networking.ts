import { endpointSliceErrors } from '../validation/cluster.ts';
import { ingressErrors, networkPolicyErrors } from '../validation/ingress.ts';
import { ageColumn, nameColumn, textColumn } from '../columns.ts';
import type { KindRow } from '../kind-row.ts';

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
    immutable: ['addressType'],
    columns: [nameColumn, textColumn('AddressType', 'addressType'), ageColumn],
  },
];
