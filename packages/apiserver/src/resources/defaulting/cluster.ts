import type { JsonObject } from '../../storage/stored-object.ts';
import type { DefaultsTable } from './table.ts';
import { child, fill, fillAbsent, items } from './table.ts';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

function setWebhook(webhook: JsonObject): void {
  fillAbsent(webhook, {
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: 10,
  });
}

const setRoleRef = (binding: JsonObject): void => {
  fill(child(binding, 'roleRef'), { apiGroup: RBAC_GROUP });
};

/** Go writes the rules even if there are none. */
const setRules = (role: JsonObject): void => {
  role['rules'] ??= null;
};

/** Defaults of the other groups (upstream: `defaults.go` of their packages below `pkg/apis`). */
export const clusterDefaults: DefaultsTable = {
  NetworkPolicy: (policy) => {
    const spec = child(policy, 'spec');
    spec['podSelector'] ??= {};
    if (items(spec, 'policyTypes').length > 0) return;
    spec['policyTypes'] = items(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
  },
  NetworkPolicyPort: (port) => fillAbsent(port, { protocol: 'TCP' }),
  IngressClass: (ingressClass) => {
    const parameters = child(ingressClass, 'spec')['parameters'] as JsonObject | undefined;
    if (parameters) fillAbsent(parameters, { scope: 'Cluster' });
  },
  RoleBinding: setRoleRef,
  ClusterRoleBinding: setRoleRef,
  Role: setRules,
  ClusterRole: setRules,
  EndpointSlice: (slice) => {
    for (const field of ['endpoints', 'ports']) slice[field] ??= null;
  },
  Endpoint: (endpoint) => {
    endpoint['conditions'] ??= {};
  },
  CSINode: (node) => {
    const spec = child(node, 'spec');
    spec['drivers'] ??= null;
  },
  CSINodeDriver: (driver) => {
    driver['topologyKeys'] ??= null;
  },
  ResourceClaimSpec: (spec) => {
    child(spec, 'devices');
  },
  DeviceClaim: (claim) => {
    claim['requests'] ??= null;
  },
  ResourceClaimTemplateSpec: (template) => {
    template['metadata'] ??= {};
  },
  Subject: (subject) => {
    if (subject['kind'] === 'User' || subject['kind'] === 'Group') fill(subject, { apiGroup: RBAC_GROUP });
  },
  DiscoveryEndpointPort: (port) => {
    port['name'] ??= '';
    port['protocol'] ??= 'TCP';
  },
  StorageClass: (storageClass) => fillAbsent(storageClass, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  CSIDriver: (driver) => {
    fillAbsent(child(driver, 'spec'), {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      volumeLifecycleModes: ['Persistent'],
      requiresRepublish: false,
      seLinuxMount: false,
    });
  },
  PriorityClass: (priorityClass) => fillAbsent(priorityClass, { preemptionPolicy: 'PreemptLowerPriority' }),
  ValidatingWebhook: setWebhook,
  MutatingWebhook: (webhook) => {
    setWebhook(webhook);
    fillAbsent(webhook, { reinvocationPolicy: 'Never' });
  },
  RuleWithOperations: (rule) => fillAbsent(rule, { scope: '*' }),
  NamedRuleWithOperations: (rule) => fillAbsent(rule, { scope: '*' }),
  ServiceReference: (reference) => fill(reference, { port: 443 }),
  APIServiceReference: (reference) => fill(reference, { port: 443 }),
  ValidatingAdmissionPolicySpec: (spec) => fillAbsent(spec, { failurePolicy: 'Fail' }),
  MatchResources: (resources) =>
    fillAbsent(resources, { matchPolicy: 'Equivalent', namespaceSelector: {}, objectSelector: {} }),
  CertificateSigningRequestSpec: (spec) => fill(spec, { signerName: '' }),
  FlowSchemaSpec: (spec) => {
    spec['matchingPrecedence'] ||= 1000;
  },
  ExemptPriorityLevelConfiguration: (level) => fill(level, { nominalConcurrencyShares: 0, lendablePercent: 0 }),
  LimitedPriorityLevelConfiguration: (level) => fill(level, { nominalConcurrencyShares: 30, lendablePercent: 0 }),
  QueuingConfiguration: (queuing) => {
    queuing['handSize'] ||= 8;
    queuing['queues'] ||= 64;
    queuing['queueLengthLimit'] ||= 50;
  },
  ExactDeviceRequest: setDeviceRequest,
  DeviceSubRequest: setDeviceRequest,
};

function setDeviceRequest(request: JsonObject): void {
  fill(request, { allocationMode: 'ExactCount' });
  if (request['allocationMode'] === 'ExactCount') request['count'] ||= 1;
}
