// Writes packages/apiserver/src/bootstrap/bootstrap-role-table.ts: the roles and bindings that kube-apiserver creates.
//
//   kubectl get clusterroles,clusterrolebindings,roles,rolebindings --all-namespaces --output json |
//     node scripts/bootstrap-roles.mjs
//
// Run it with the kube-apiserver of a new envtest, without kube-controller-manager.
import { readFileSync, writeFileSync } from 'node:fs';

const TABLE = new URL('../packages/apiserver/src/bootstrap/bootstrap-role-table.ts', import.meta.url);
const PREFIX = 'rbac.authorization.k8s.io/aggregate-to-';
const KINDS = ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'];

const { items } = JSON.parse(readFileSync(0, 'utf8'));

const list = (values = []) => values.map((value) => value || 'core').join(',');

function ruleText({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }) {
  if (nonResourceURLs) return `  ${list(verbs)} ${list(nonResourceURLs)}`;
  const names = resourceNames ? ` ${list(resourceNames)}` : '';
  return `  ${list(verbs)} ${list(apiGroups)} ${list(resources)}${names}`;
}

function subjectText({ kind, namespace, name }) {
  return `${kind}:${namespace ? `${namespace}/` : ''}${name}`;
}

/** Returns the name in a label that selects roles for aggregation: `view` of `…/aggregate-to-view`. */
const target = (labels) =>
  Object.keys(labels)
    .filter((label) => label.startsWith(PREFIX))
    .map((label) => label.slice(PREFIX.length))[0];

function textOf({ kind, metadata, rules, aggregationRule, roleRef, subjects = [] }) {
  const { namespace, name, labels } = metadata;
  const [to, of] = [target(labels), target(aggregationRule?.clusterRoleSelectors[0].matchLabels ?? {})];
  const words = [
    kind,
    namespace ? `${namespace}/${name}` : name,
    ...(to ? [`to=${to}`] : []),
    ...(of ? [`of=${of}`] : []),
    ...(roleRef ? [`${roleRef.kind}:${roleRef.name}`, ...subjects.map(subjectText)] : []),
  ];
  return [words.join(' '), ...(rules ?? []).map(ruleText)].join('\n');
}

const ordered = KINDS.flatMap((kind) => items.filter((item) => item.kind === kind));
const source = `/**
 * The roles and bindings that kube-apiserver v1.35 creates, see \`scripts/bootstrap-roles.mjs\`.
 *
 * A line without indentation is an object: its kind and name, \`to=\` for a role that is aggregated to another one, \`of=\`
 * for the roles that a role aggregates; for a binding its role and subjects. An indented line is a rule: verbs, API groups,
 * resources and names; or verbs and paths.
 */
export const bootstrapRoleTable = \`
${ordered.map(textOf).join('\n')}
\`;
`;
writeFileSync(TABLE, source);
