import { bootstrapRoleTable } from './bootstrap-role-table.ts';

const GROUP = 'rbac.authorization.k8s.io';
const AGGREGATED = `${GROUP}/aggregate-to-`;

/** Returns the roles and bindings that every cluster has, and that grant nothing without a binding of their own. */
export function bootstrapRoles(): object[] {
  const entries: { readonly head: readonly string[]; readonly rules: object[] }[] = [];
  for (const line of bootstrapRoleTable.trim().split('\n')) {
    if (line.startsWith('  ')) entries.at(-1)?.rules.push(ruleOf(line.trim().split(' ')));
    else entries.push({ head: line.split(' '), rules: [] });
  }
  return entries.map(({ head: [kind = '', path = '', ...words], rules }) => {
    const slash = path.indexOf('/');
    const metadata = {
      name: path.slice(slash + 1),
      ...(slash >= 0 && { namespace: path.slice(0, slash) }),
      labels: { 'kubernetes.io/bootstrapping': 'rbac-defaults', ...aggregation(words, 'to=') },
      annotations: { 'rbac.authorization.kubernetes.io/autoupdate': 'true' },
    };
    const content = kind.endsWith('Binding') ? bindingOf(words) : roleOf(words, rules);
    return { apiVersion: `${GROUP}/v1`, kind, metadata, ...content };
  });
}

/** Returns the label that selects roles for aggregation. */
function aggregation(words: readonly string[], prefix: 'of=' | 'to='): Record<string, string> {
  const word = words.find((each) => each.startsWith(prefix));
  return word === undefined ? {} : { [AGGREGATED + word.slice(prefix.length)]: 'true' };
}

function roleOf(words: readonly string[], rules: readonly object[]): object {
  const matchLabels = aggregation(words, 'of=');
  if (Object.keys(matchLabels).length === 0) return { rules };
  return { rules: null, aggregationRule: { clusterRoleSelectors: [{ matchLabels }] } };
}

const listOf = (text: string): string[] => text.split(',').map((each) => (each === 'core' ? '' : each));

function ruleOf([verbs = '', second = '', resources, names]: readonly string[]): object {
  if (resources === undefined) return { verbs: listOf(verbs), nonResourceURLs: listOf(second) };
  return {
    verbs: listOf(verbs),
    apiGroups: listOf(second),
    resources: listOf(resources),
    ...(names !== undefined && { resourceNames: listOf(names) }),
  };
}

function bindingOf([role = '', ...subjects]: readonly string[]): object {
  const { kind, name } = partsOf(role);
  return {
    roleRef: { apiGroup: GROUP, kind, name },
    ...(subjects.length > 0 && { subjects: subjects.map(subjectOf) }),
  };
}

function subjectOf(text: string): object {
  const { kind, name } = partsOf(text);
  if (kind !== 'ServiceAccount') return { apiGroup: GROUP, kind, name };
  const slash = name.indexOf('/');
  return { kind, namespace: name.slice(0, slash), name: name.slice(slash + 1) };
}

/** Splits at the first colon: names have colons, too. */
function partsOf(text: string): { readonly kind: string; readonly name: string } {
  const colon = text.indexOf(':');
  return { kind: text.slice(0, colon), name: text.slice(colon + 1) };
}
