import type { TypeTable } from './notation.ts';

/** The types of API priority and fairness, in the notation of {@link TypeTable}. */
export const flowControlTypes: TypeTable = {
  FlowSchema: 'spec FlowSchemaSpec, status FlowSchemaStatus',
  FlowSchemaSpec: `
    distinguisherMethod FlowDistinguisherMethod, matchingPrecedence int,
    priorityLevelConfiguration PriorityLevelConfigurationReference, rules PolicyRulesWithSubjects[]`,
  FlowDistinguisherMethod: 'type string',
  PriorityLevelConfigurationReference: 'name string',
  PolicyRulesWithSubjects: `
    nonResourceRules NonResourcePolicyRule[], resourceRules ResourcePolicyRule[], subjects FlowControlSubject[]`,
  NonResourcePolicyRule: 'nonResourceURLs string[*], verbs string[*]',
  ResourcePolicyRule: `
    apiGroups string[*], clusterScope bool, namespaces string[*], resources string[*], verbs string[*]`,
  FlowControlSubject: 'group GroupSubject, kind string, serviceAccount ServiceAccountSubject, user UserSubject',
  GroupSubject: 'name string',
  ServiceAccountSubject: 'name string, namespace string',
  UserSubject: 'name string',
  FlowSchemaStatus: 'conditions FlowSchemaCondition[type]',
  FlowSchemaCondition: 'lastTransitionTime time, message string, reason string, status string, type string',
  PriorityLevelConfiguration: 'spec PriorityLevelConfigurationSpec, status PriorityLevelConfigurationStatus',
  PriorityLevelConfigurationSpec: `
    exempt ExemptPriorityLevelConfiguration, limited LimitedPriorityLevelConfiguration, type string`,
  ExemptPriorityLevelConfiguration: 'lendablePercent int, nominalConcurrencyShares int',
  LimitedPriorityLevelConfiguration: `
    borrowingLimitPercent int, lendablePercent int, limitResponse LimitResponse, nominalConcurrencyShares int`,
  LimitResponse: 'queuing QueuingConfiguration, type string',
  QueuingConfiguration: 'handSize int, queueLengthLimit int, queues int',
  PriorityLevelConfigurationStatus: 'conditions PriorityLevelConfigurationCondition[type]',
  PriorityLevelConfigurationCondition: `
    lastTransitionTime time, message string, reason string, status string, type string`,
};
