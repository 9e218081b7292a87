import type { TypeTable } from './notation.ts';

/**
 * The types of certificates, admission policies, API services and further kinds, in the notation of
 * {@link TypeTable}.
 */
export const extensionTypes: TypeTable = {
  ValidatingAdmissionPolicy: 'spec ValidatingAdmissionPolicySpec, status ValidatingAdmissionPolicyStatus',
  ValidatingAdmissionPolicySpec: `
    auditAnnotations AuditAnnotation[], failurePolicy string, matchConditions MatchCondition[name],
    matchConstraints MatchResources, paramKind ParamKind, validations Validation[], variables Variable[name]`,
  AuditAnnotation: 'key string, valueExpression string',
  'MatchResources!': `
    excludeResourceRules NamedRuleWithOperations[], matchPolicy string, namespaceSelector LabelSelector,
    objectSelector LabelSelector, resourceRules NamedRuleWithOperations[]`,
  'NamedRuleWithOperations!': `
    apiGroups string[], apiVersions string[], operations string[], resourceNames string[], resources string[],
    scope string`,
  'ParamKind!': 'apiVersion string, kind string',
  Validation: 'expression string, message string, messageExpression string, reason string',
  'Variable!': 'expression string, name string',
  ValidatingAdmissionPolicyStatus: 'conditions Condition[type], observedGeneration int, typeChecking TypeChecking',
  TypeChecking: 'expressionWarnings ExpressionWarning[]',
  ExpressionWarning: 'fieldRef string, warning string',
  ValidatingAdmissionPolicyBinding: 'spec ValidatingAdmissionPolicyBindingSpec',
  ValidatingAdmissionPolicyBindingSpec: `
    matchResources MatchResources, paramRef ParamRef, policyName string, validationActions string[*]`,
  'ParamRef!': 'name string, namespace string, parameterNotFoundAction string, selector LabelSelector',
  APIService: 'spec APIServiceSpec, status APIServiceStatus',
  APIServiceSpec: `
    caBundle bytes, group string, groupPriorityMinimum int, insecureSkipTLSVerify bool, service APIServiceReference,
    version string, versionPriority int`,
  APIServiceReference: 'name string, namespace string, port int',
  APIServiceStatus: 'conditions APIServiceCondition[type]',
  APIServiceCondition: 'lastTransitionTime time, message string, reason string, status string, type string',
  CertificateSigningRequest: 'spec CertificateSigningRequestSpec, status CertificateSigningRequestStatus',
  CertificateSigningRequestSpec: `
    expirationSeconds int, extra any{}, groups string[], request bytes, signerName string, uid string, usages string[],
    username string`,
  CertificateSigningRequestStatus: 'certificate bytes, conditions CertificateSigningRequestCondition[type]',
  CertificateSigningRequestCondition: `
    lastTransitionTime time, lastUpdateTime time, message string, reason string, status string, type string`,
  RuntimeClass: 'handler string, overhead Overhead, scheduling Scheduling',
  Overhead: 'podFixed quantity{}',
  Scheduling: 'nodeSelector string{}!, tolerations Toleration[]',
  ServiceCIDR: 'spec ServiceCIDRSpec, status ServiceCIDRStatus',
  ServiceCIDRSpec: 'cidrs string[]',
  ServiceCIDRStatus: 'conditions Condition[type]',
  IPAddress: 'spec IPAddressSpec',
  IPAddressSpec: 'parentRef ParentReference',
  ParentReference: 'group string, name string, namespace string, resource string',
  IngressClass: 'spec IngressClassSpec',
  IngressClassSpec: 'controller string, parameters IngressClassParametersReference',
  IngressClassParametersReference: 'apiGroup string, kind string, name string, namespace string, scope string',
  PodTemplate: 'template PodTemplateSpec',
  ReplicationController: 'spec ReplicationControllerSpec, status ReplicationControllerStatus',
  ReplicationControllerSpec: 'minReadySeconds int, replicas int, selector string{}!, template PodTemplateSpec',
  ReplicationControllerStatus: `
    availableReplicas int, conditions ReplicationControllerCondition[type], fullyLabeledReplicas int,
    observedGeneration int, readyReplicas int, replicas int`,
  ReplicationControllerCondition: 'lastTransitionTime time, message string, reason string, status string, type string',
  ControllerRevision: 'data any!, revision int',
  HorizontalPodAutoscalerV1: 'spec HorizontalPodAutoscalerV1Spec, status HorizontalPodAutoscalerV1Status',
  HorizontalPodAutoscalerV1Spec: `
    maxReplicas int, minReplicas int, scaleTargetRef CrossVersionObjectReference!, targetCPUUtilizationPercentage int`,
  HorizontalPodAutoscalerV1Status: `
    currentCPUUtilizationPercentage int, currentReplicas int, desiredReplicas int, lastScaleTime time,
    observedGeneration int`,
  Binding: 'target ObjectReference',
};
