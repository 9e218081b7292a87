import type { TypeTable } from './notation.ts';

/** Fields of a JSON schema. Its `JSONSchemaPropsOrOther` are a schema, or a boolean or list. */
const JSON_SCHEMA = `
  $ref string, $schema string, additionalItems JSONSchemaPropsOrOther, additionalProperties JSONSchemaPropsOrOther,
  allOf JSONSchemaProps[], anyOf JSONSchemaProps[], default any, definitions JSONSchemaProps{}, dependencies JSONSchemaPropsOrOther{},
  description string, enum any[], example any, exclusiveMaximum bool, exclusiveMinimum bool,
  externalDocs ExternalDocumentation, format string, id string, items JSONSchemaPropsOrOther, maxItems int,
  maxLength int, maxProperties int, maximum number, minItems int, minLength int, minProperties int, minimum number,
  multipleOf number, not JSONSchemaProps, nullable bool, oneOf JSONSchemaProps[], pattern string,
  patternProperties JSONSchemaProps{}, properties JSONSchemaProps{}, required string[], title string, type string,
  uniqueItems bool, x-kubernetes-embedded-resource bool, x-kubernetes-int-or-string bool,
  x-kubernetes-list-map-keys string[], x-kubernetes-list-type string, x-kubernetes-map-type string,
  x-kubernetes-preserve-unknown-fields bool, x-kubernetes-validations ValidationRule[rule]`;

/**
 * The types of the other groups: networking, RBAC, leases, storage, and extensions of the API, in the notation of
 * {@link TypeTable}.
 */
export const clusterTypes: TypeTable = {
  Ingress: 'spec IngressSpec, status IngressStatus',
  NetworkPolicy: 'spec NetworkPolicySpec',
  Role: 'rules PolicyRule[]',
  RoleBinding: 'roleRef RoleRef, subjects Subject[]',
  ClusterRole: 'aggregationRule AggregationRule, rules PolicyRule[]',
  ClusterRoleBinding: 'roleRef RoleRef, subjects Subject[]',
  Lease: 'spec LeaseSpec',
  EndpointSlice: 'addressType string, endpoints Endpoint[], ports DiscoveryEndpointPort[]',
  StorageClass: `
    allowVolumeExpansion bool, allowedTopologies TopologySelectorTerm[], mountOptions string[], parameters string{},
    provisioner string, reclaimPolicy string, volumeBindingMode string`,
  PriorityClass: 'description string, globalDefault bool, preemptionPolicy string, value int',
  CustomResourceDefinition: 'spec CustomResourceDefinitionSpec, status CustomResourceDefinitionStatus',
  ValidatingWebhookConfiguration: 'webhooks ValidatingWebhook[name]',
  MutatingWebhookConfiguration: 'webhooks MutatingWebhook[name]',
  IngressSpec: 'defaultBackend IngressBackend, ingressClassName string, rules IngressRule[], tls IngressTLS[]',
  IngressStatus: 'loadBalancer IngressLoadBalancerStatus',
  NetworkPolicySpec: `
    egress NetworkPolicyEgressRule[], ingress NetworkPolicyIngressRule[], podSelector LabelSelector,
    policyTypes string[]`,
  PolicyRule: `
    apiGroups string[], nonResourceURLs string[], resourceNames string[], resources string[], verbs string[]`,
  'RoleRef!': 'apiGroup string, kind string, name string',
  'Subject!': 'apiGroup string, kind string, name string, namespace string',
  AggregationRule: 'clusterRoleSelectors LabelSelector[]',
  LeaseSpec: `
    acquireTime time, holderIdentity string, leaseDurationSeconds int, leaseTransitions int, preferredHolder string,
    renewTime time, strategy string`,
  Endpoint: `
    addresses string[*], conditions EndpointConditions, deprecatedTopology string{}, hints EndpointHints,
    hostname string, nodeName string, targetRef ObjectReference, zone string`,
  'DiscoveryEndpointPort!': 'appProtocol string, name string, port int, protocol string',
  'TopologySelectorTerm!': 'matchLabelExpressions TopologySelectorLabelRequirement[]',
  CustomResourceDefinitionSpec: `
    conversion CustomResourceConversion, group string, names CustomResourceDefinitionNames,
    preserveUnknownFields bool, scope string, versions CustomResourceDefinitionVersion[]`,
  CustomResourceDefinitionStatus: `
    acceptedNames CustomResourceDefinitionNames, conditions CustomResourceDefinitionCondition[type],
    observedGeneration int, storedVersions string[]`,
  ValidatingWebhook: `
    admissionReviewVersions string[], clientConfig WebhookClientConfig, failurePolicy string,
    matchConditions MatchCondition[name], matchPolicy string, name string, namespaceSelector LabelSelector,
    objectSelector LabelSelector, rules RuleWithOperations[], sideEffects string, timeoutSeconds int`,
  MutatingWebhook: `
    admissionReviewVersions string[], clientConfig WebhookClientConfig, failurePolicy string,
    matchConditions MatchCondition[name], matchPolicy string, name string, namespaceSelector LabelSelector,
    objectSelector LabelSelector, reinvocationPolicy string, rules RuleWithOperations[], sideEffects string,
    timeoutSeconds int`,
  IngressBackend: 'resource TypedLocalObjectReference, service IngressServiceBackend',
  IngressRule: 'host string, http HTTPIngressRuleValue',
  IngressTLS: 'hosts string[], secretName string',
  IngressLoadBalancerStatus: 'ingress IngressLoadBalancerIngress[]',
  NetworkPolicyEgressRule: 'ports NetworkPolicyPort[], to NetworkPolicyPeer[]',
  NetworkPolicyIngressRule: 'from NetworkPolicyPeer[], ports NetworkPolicyPort[]',
  EndpointConditions: 'ready bool, serving bool, terminating bool',
  EndpointHints: 'forNodes ForNode[], forZones ForZone[]',
  TopologySelectorLabelRequirement: 'key string, values string[]',
  CustomResourceConversion: 'strategy string, webhook WebhookConversion',
  CustomResourceDefinitionNames: `
    categories string[], kind string, listKind string, plural string, shortNames string[], singular string`,
  CustomResourceDefinitionVersion: `
    additionalPrinterColumns CustomResourceColumnDefinition[], deprecated bool, deprecationWarning string,
    name string, schema CustomResourceValidation, selectableFields SelectableField[], served bool, storage bool,
    subresources CustomResourceSubresources`,
  CustomResourceDefinitionCondition: `
    lastTransitionTime time, message string, observedGeneration int, reason string, status string, type string`,
  WebhookClientConfig: 'caBundle bytes, service ServiceReference, url string',
  MatchCondition: 'expression string, name string',
  RuleWithOperations: 'apiGroups string[], apiVersions string[], operations string[], resources string[], scope string',
  IngressServiceBackend: 'name string, port ServiceBackendPort',
  HTTPIngressRuleValue: 'paths HTTPIngressPath[]',
  IngressLoadBalancerIngress: 'hostname string, ip string, ports IngressPortStatus[]',
  NetworkPolicyPort: 'endPort int, port intOrString, protocol string',
  NetworkPolicyPeer: 'ipBlock IPBlock, namespaceSelector LabelSelector, podSelector LabelSelector',
  ForNode: 'name string',
  ForZone: 'name string',
  WebhookConversion: 'clientConfig WebhookClientConfig, conversionReviewVersions string[]',
  CustomResourceColumnDefinition: `
    description string, format string, jsonPath string, name string, priority int, type string`,
  CustomResourceValidation: 'openAPIV3Schema JSONSchemaProps',
  JSONSchemaProps: JSON_SCHEMA,
  'JSONSchemaPropsOrOther?': JSON_SCHEMA,
  ValidationRule: `
    fieldPath string, message string, messageExpression string, optionalOldSelf bool, reason string, rule string`,
  ExternalDocumentation: 'description string, url string',
  SelectableField: 'jsonPath string',
  CustomResourceSubresources: 'scale CustomResourceSubresourceScale, status CustomResourceSubresourceStatus',
  ServiceReference: 'name string, namespace string, path string, port int',
  'ServiceBackendPort!': 'name string, number int',
  HTTPIngressPath: 'backend IngressBackend, path string, pathType string',
  IngressPortStatus: 'error string, port int, protocol string',
  IPBlock: 'cidr string, except string[]',
  CustomResourceSubresourceStatus: '',
  CustomResourceSubresourceScale: 'labelSelectorPath string, specReplicasPath string, statusReplicasPath string',
};
