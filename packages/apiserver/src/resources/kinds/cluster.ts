import { humanDuration } from '@mcr/client';
import { apiServiceErrors } from '../validation/api-service.ts';
import { certificateRequestErrors } from '../validation/certificate-request.ts';
import { runtimeClassErrors } from '../validation/cluster.ts';
import { ingressClassErrors } from '../validation/ingress-class.ts';
import { ipAddressErrors, serviceRangeErrors } from '../validation/service-range.ts';
import { admitApiService } from '../admission/api-service.ts';
import { admitCertificateRequest, admitCertificateStatus, restrictSubject } from '../admission/certificate-request.ts';
import { listAt } from '../cells.ts';
import { ageColumn, nameColumn, textColumn } from '../columns.ts';
import type { KindRow } from '../kind-row.ts';
import { scalarText, valueAt } from '../resource-type.ts';

/** Certificates, aggregated APIs, runtimes, and the classes and addresses of the network. */
export const clusterKinds: readonly KindRow[] = [
  {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    plural: 'certificatesigningrequests',
    shortNames: ['csr'],
    scope: 'Cluster',
    statusSubresource: true,
    fields: { 'spec.signerName': 'spec.signerName' },
    admit: admitCertificateRequest,
    admitValid: restrictSubject,
    admitPart: admitCertificateStatus,
    validate: certificateRequestErrors,
    columns: [
      nameColumn,
      ageColumn,
      textColumn('SignerName', 'spec.signerName', '<none>'),
      textColumn('Requestor', 'spec.username'),
      {
        name: 'RequestedDuration',
        type: 'string',
        cell: (request) => {
          const seconds = valueAt(request, 'spec.expirationSeconds');
          return typeof seconds === 'number' ? humanDuration(seconds * 1000) : '<none>';
        },
      },
      {
        name: 'Condition',
        type: 'string',
        cell: (request) => {
          const types = new Set(listAt(request, 'status.conditions').map((each) => valueAt(each, 'type')));
          const states = ['Approved', 'Denied', 'Failed'].filter((state) => types.has(state));
          if (states.length === 0) return 'Pending';
          return [...states, ...(valueAt(request, 'status.certificate') ? ['Issued'] : [])].join(',');
        },
      },
    ],
  },
  {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    plural: 'apiservices',
    categories: ['api-extensions'],
    scope: 'Cluster',
    statusSubresource: true,
    statusMetadata: [],
    nameRule: 'path segment',
    validate: apiServiceErrors,
    admit: admitApiService,
    columns: [
      nameColumn,
      {
        name: 'Service',
        type: 'string',
        cell: (service) => {
          const [namespace, name] = ['namespace', 'name'].map((field) => valueAt(service, `spec.service.${field}`));
          return name === undefined ? 'Local' : `${scalarText(namespace)}/${scalarText(name)}`;
        },
      },
      {
        name: 'Available',
        type: 'string',
        cell: (service) => {
          const condition = listAt(service, 'status.conditions').find((each) => valueAt(each, 'type') === 'Available');
          const status = scalarText(valueAt(condition, 'status')) || 'Unknown';
          return status === 'True' ? status : `${status} (${scalarText(valueAt(condition, 'reason'))})`;
        },
      },
      ageColumn,
    ],
  },
  {
    apiVersion: 'node.k8s.io/v1',
    kind: 'RuntimeClass',
    requiresVersion: true,
    validate: runtimeClassErrors,
    plural: 'runtimeclasses',
    scope: 'Cluster',
    createsOnUpdate: true,
    columns: [nameColumn, textColumn('Handler', 'handler'), ageColumn],
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IngressClass',
    validate: ingressClassErrors,
    plural: 'ingressclasses',
    scope: 'Cluster',
    countsGeneration: true,
    columns: [
      nameColumn,
      textColumn('Controller', 'spec.controller'),
      {
        name: 'Parameters',
        type: 'string',
        cell: (ingressClass) => {
          const parameters = valueAt(ingressClass, 'spec.parameters');
          if (parameters === undefined) return '<none>';
          const group = scalarText(valueAt(parameters, 'apiGroup'));
          const kind = scalarText(valueAt(parameters, 'kind'));
          return `${group === '' ? kind : `${kind}.${group}`}/${scalarText(valueAt(parameters, 'name'))}`;
        },
      },
      ageColumn,
    ],
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'ServiceCIDR',
    plural: 'servicecidrs',
    scope: 'Cluster',
    statusSubresource: true,
    statusMetadata: [],
    validate: serviceRangeErrors,
    columns: [
      nameColumn,
      { name: 'CIDRs', type: 'string', cell: (range) => listAt(range, 'spec.cidrs').join(',') },
      ageColumn,
    ],
  },
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'IPAddress',
    plural: 'ipaddresses',
    shortNames: ['ip'],
    scope: 'Cluster',
    nameRule: 'of the kind',
    validate: ipAddressErrors,
    columns: [
      nameColumn,
      {
        name: 'ParentRef',
        type: 'string',
        cell: (address) => {
          const parent = valueAt(address, 'spec.parentRef');
          const parts = ['group', 'resource', 'namespace', 'name'].map((field) => scalarText(valueAt(parent, field)));
          return parts.filter((part) => part !== '').join('/');
        },
      },
      // Upstream prints the age without a column for it.
      { ...ageColumn, isUndefined: true },
    ],
  },
];
