/** Encoding of a field. A message name refers to an entry of {@link messages}. */
export type FieldType = 'text' | 'number' | 'flag' | 'texts' | 'base64s' | MessageName;

export interface MessageField {
  readonly name: string;
  readonly type: FieldType;
  readonly repeated?: true;
}

type Fields = Readonly<Record<number, MessageField>>;

/* Constructors of fields. */
const text = (name: string): MessageField => ({ name, type: 'text' });
const textList = (name: string): MessageField => ({ name, type: 'text', repeated: true });
const number = (name: string): MessageField => ({ name, type: 'number' });
const flag = (name: string): MessageField => ({ name, type: 'flag' });
/** A map of strings. */
const texts = (name: string): MessageField => ({ name, type: 'texts' });
/** A map of bytes, encoded as base64 in JSON. */
const base64s = (name: string): MessageField => ({ name, type: 'base64s' });
const message = (name: string, type: FieldType): MessageField => ({ name, type });
const list = (name: string, type: FieldType): MessageField => ({ name, type, repeated: true });

export type MessageName =
  | 'ObjectMeta'
  | 'OwnerReference'
  | 'LocalObjectReference'
  | 'LabelSelector'
  | 'NamespaceSpec'
  | 'ConfigMap'
  | 'Secret'
  | 'Namespace'
  | 'ServiceAccount'
  | 'Deployment'
  | 'DeploymentSpec'
  | 'DeploymentStrategy'
  | 'PodTemplateSpec'
  | 'PodSpec'
  | 'Container'
  | 'ContainerPort'
  | 'PolicyRule'
  | 'AggregationRule'
  | 'Role'
  | 'ClusterRole'
  | 'RoleBinding'
  | 'ClusterRoleBinding'
  | 'Subject'
  | 'RoleRef'
  | 'SelfSubjectReview'
  | 'SelfSubjectAccessReview'
  | 'SelfSubjectRulesReview'
  | 'AccessReviewSpec'
  | 'RulesReviewSpec'
  | 'ResourceAttributes'
  | 'NonResourceAttributes'
  | 'TokenRequest'
  | 'TokenRequestSpec'
  | 'Job'
  | 'JobSpec'
  | 'JobTemplateSpec'
  | 'CronJob'
  | 'CronJobSpec'
  | 'PriorityClass'
  | 'Unset'
  | 'Empty';

/**
 * The messages that `kubectl create <kind>` sends, with their field numbers (the `generated.proto` files of
 * `k8s.io/api` and `k8s.io/apimachinery`). Omits fields that it leaves at zero.
 */
export const messages: Readonly<Record<MessageName, Fields>> = {
  ObjectMeta: {
    1: text('name'),
    2: text('generateName'),
    3: text('namespace'),
    5: text('uid'),
    6: text('resourceVersion'),
    11: texts('labels'),
    12: texts('annotations'),
    13: list('ownerReferences', 'OwnerReference'),
    14: textList('finalizers'),
  },
  OwnerReference: {
    1: text('kind'),
    3: text('name'),
    4: text('uid'),
    5: text('apiVersion'),
    6: flag('controller'),
    7: flag('blockOwnerDeletion'),
  },
  LocalObjectReference: { 1: text('name') },
  LabelSelector: { 1: texts('matchLabels') },
  ConfigMap: {
    1: message('metadata', 'ObjectMeta'),
    2: texts('data'),
    3: base64s('binaryData'),
    4: flag('immutable'),
  },
  Secret: {
    1: message('metadata', 'ObjectMeta'),
    2: base64s('data'),
    3: text('type'),
    4: texts('stringData'),
    5: flag('immutable'),
  },
  Namespace: {
    1: message('metadata', 'ObjectMeta'),
    2: message('spec', 'NamespaceSpec'),
    3: message('status', 'Empty'),
  },
  NamespaceSpec: { 1: textList('finalizers') },
  ServiceAccount: {
    1: message('metadata', 'ObjectMeta'),
    3: list('imagePullSecrets', 'LocalObjectReference'),
    4: flag('automountServiceAccountToken'),
  },
  Deployment: {
    1: message('metadata', 'ObjectMeta'),
    2: message('spec', 'DeploymentSpec'),
    3: message('status', 'Empty'),
  },
  DeploymentSpec: {
    1: number('replicas'),
    2: message('selector', 'LabelSelector'),
    3: message('template', 'PodTemplateSpec'),
    4: message('strategy', 'DeploymentStrategy'),
  },
  DeploymentStrategy: { 1: text('type') },
  PodTemplateSpec: { 1: message('metadata', 'ObjectMeta'), 2: message('spec', 'PodSpec') },
  PodSpec: { 2: list('containers', 'Container'), 3: text('restartPolicy') },
  Container: {
    1: text('name'),
    2: text('image'),
    3: textList('command'),
    4: textList('args'),
    5: text('workingDir'),
    6: list('ports', 'ContainerPort'),
    14: text('imagePullPolicy'),
  },
  ContainerPort: { 1: text('name'), 3: number('containerPort'), 4: text('protocol'), 5: text('hostIP') },
  PolicyRule: {
    1: textList('verbs'),
    2: textList('apiGroups'),
    3: textList('resources'),
    4: textList('resourceNames'),
    5: textList('nonResourceURLs'),
  },
  AggregationRule: { 1: list('clusterRoleSelectors', 'LabelSelector') },
  Role: { 1: message('metadata', 'ObjectMeta'), 2: list('rules', 'PolicyRule') },
  ClusterRole: {
    1: message('metadata', 'ObjectMeta'),
    2: list('rules', 'PolicyRule'),
    3: message('aggregationRule', 'AggregationRule'),
  },
  RoleBinding: {
    1: message('metadata', 'ObjectMeta'),
    2: list('subjects', 'Subject'),
    3: message('roleRef', 'RoleRef'),
  },
  ClusterRoleBinding: {
    1: message('metadata', 'ObjectMeta'),
    2: list('subjects', 'Subject'),
    3: message('roleRef', 'RoleRef'),
  },
  Subject: { 1: text('kind'), 2: text('apiGroup'), 3: text('name'), 4: text('namespace') },
  RoleRef: { 1: text('apiGroup'), 2: text('kind'), 3: text('name') },
  SelfSubjectReview: { 1: message('metadata', 'ObjectMeta'), 2: message('status', 'Unset') },
  SelfSubjectAccessReview: {
    1: message('metadata', 'ObjectMeta'),
    2: message('spec', 'AccessReviewSpec'),
    3: message('status', 'Empty'),
  },
  SelfSubjectRulesReview: {
    1: message('metadata', 'ObjectMeta'),
    2: message('spec', 'RulesReviewSpec'),
    3: message('status', 'Empty'),
  },
  AccessReviewSpec: {
    1: message('resourceAttributes', 'ResourceAttributes'),
    2: message('nonResourceAttributes', 'NonResourceAttributes'),
  },
  RulesReviewSpec: { 1: text('namespace') },
  ResourceAttributes: {
    1: text('namespace'),
    2: text('verb'),
    3: text('group'),
    4: text('version'),
    5: text('resource'),
    6: text('subresource'),
    7: text('name'),
  },
  NonResourceAttributes: { 1: text('path'), 2: text('verb') },
  TokenRequest: {
    1: message('metadata', 'ObjectMeta'),
    2: message('spec', 'TokenRequestSpec'),
    3: message('status', 'Unset'),
  },
  TokenRequestSpec: { 1: textList('audiences'), 4: number('expirationSeconds') },
  Job: { 1: message('metadata', 'ObjectMeta'), 2: message('spec', 'JobSpec'), 3: message('status', 'Empty') },
  JobSpec: {
    1: number('parallelism'),
    2: number('completions'),
    3: number('activeDeadlineSeconds'),
    6: message('template', 'PodTemplateSpec'),
    7: number('backoffLimit'),
  },
  JobTemplateSpec: { 1: message('metadata', 'ObjectMeta'), 2: message('spec', 'JobSpec') },
  CronJob: { 1: message('metadata', 'ObjectMeta'), 2: message('spec', 'CronJobSpec'), 3: message('status', 'Empty') },
  CronJobSpec: {
    1: text('schedule'),
    2: number('startingDeadlineSeconds'),
    3: text('concurrencyPolicy'),
    4: flag('suspend'),
    5: message('jobTemplate', 'JobTemplateSpec'),
    8: text('timeZone'),
  },
  PriorityClass: {
    1: message('metadata', 'ObjectMeta'),
    2: number('value'),
    3: flag('globalDefault'),
    4: text('description'),
    5: text('preemptionPolicy'),
  },
  /** A status that only the server sets. */
  Unset: { 1: message('userInfo', 'Empty'), 2: message('expirationTimestamp', 'Empty') },
  Empty: {},
};
