import { listAt } from '../cells.ts';
import { ageColumn, nameColumn, textColumn } from '../columns.ts';
import type { KindRow } from '../kind-row.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { policyBindingErrors, policyErrors } from '../validation/admission-policy.ts';

const ADMISSION = 'admissionregistration.k8s.io/v1';

/** Admission policies. MutatingAdmissionPolicies are not served in this version of the group. */
export const policyKinds: readonly KindRow[] = [
  {
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicy',
    statusCreates: true,
    requiresVersion: true,
    validate: policyErrors,
    plural: 'validatingadmissionpolicies',
    categories: ['api-extensions'],
    scope: 'Cluster',
    statusSubresource: true,
    statusMetadata: [],
    countsGeneration: true,
    columns: [
      nameColumn,
      { name: 'Validations', type: 'integer', cell: (policy) => listAt(policy, 'spec.validations').length },
      {
        name: 'ParamKind',
        type: 'string',
        cell: (policy) => {
          const [apiVersion, kind] = ['apiVersion', 'kind'].map((field) => valueAt(policy, `spec.paramKind.${field}`));
          return kind === undefined ? '<unset>' : `${scalarText(apiVersion)}/${scalarText(kind)}`;
        },
      },
      ageColumn,
    ],
  },
  {
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    requiresVersion: true,
    validate: policyBindingErrors,
    plural: 'validatingadmissionpolicybindings',
    categories: ['api-extensions'],
    scope: 'Cluster',
    countsGeneration: true,
    columns: [
      nameColumn,
      textColumn('PolicyName', 'spec.policyName'),
      {
        name: 'ParamRef',
        type: 'string',
        cell: (binding) => {
          const reference = valueAt(binding, 'spec.paramRef');
          if (reference === undefined) return '<unset>';
          const [namespace, name] = ['namespace', 'name'].map((field) => valueAt(reference, field));
          return `${namespace === undefined ? '*' : scalarText(namespace)}/${name === undefined ? '*' : scalarText(name)}`;
        },
      },
      ageColumn,
    ],
  },
];
