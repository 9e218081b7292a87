import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField, requiredField } from '../../status.ts';
import { listAt } from '../cells.ts';
import type { Change } from '../resource-type.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { contains, legacyBlockErrors, parseBlock } from './ip-address.ts';
import { at, portNameErrors, portNumber, supported, text } from './rules.ts';
import { selectorErrors } from './selector.ts';

/** Rules and messages follow `pkg/apis/networking/validation`. */

const DIRECTIONS = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const;

/** Validates a NetworkPolicy (upstream: `ValidateNetworkPolicySpec`). */
export function networkPolicyErrors({ object, previous }: Change): FieldError[] {
  const spec = object['spec'];
  const before = blocksOf(previous?.['spec']);
  const rules = DIRECTIONS.flatMap(([direction, peers]) =>
    listAt(spec, direction).flatMap((rule, index) => {
      const field = `spec.${direction}[${index}]`;
      return [
        ...listAt(rule, 'ports').flatMap((port, at_) => portErrors(`${field}.ports[${at_}]`, port)),
        ...listAt(rule, peers).flatMap((peer, at_) => peerErrors(`${field}.${peers}[${at_}]`, peer, before)),
      ];
    }),
  );
  return [...selectorErrors(at(spec, 'spec', 'podSelector')), ...rules, ...typeErrors(listAt(spec, 'policyTypes'))];
}

/** Returns the blocks of a policy, which stay valid. */
function blocksOf(spec: unknown): readonly unknown[] {
  const peers = DIRECTIONS.flatMap(([direction, list]) =>
    listAt(spec, direction).flatMap((rule) => listAt(rule, list)),
  );
  return peers.flatMap((peer) => [valueAt(peer, 'ipBlock.cidr'), ...listAt(peer, 'ipBlock.except')]);
}

function typeErrors(types: readonly unknown[]): FieldError[] {
  const field = 'spec.policyTypes';
  if (types.length > 2) return [invalidField(field, types, 'may not specify more than two policyTypes')];
  return types.flatMap((type, index) => supported([`${field}[${index}]`, type], ['Ingress', 'Egress']));
}

function portErrors(field: string, port: unknown): FieldError[] {
  const [number, last] = [valueAt(port, 'port'), valueAt(port, 'endPort')];
  const errors = supported(at(port, field, 'protocol'), ['TCP', 'UDP', 'SCTP']);
  const end = `${field}.endPort`;
  if (typeof number === 'number') {
    errors.push(...portNumber([`${field}.port`, number]));
    if (typeof last !== 'number') return errors;
    // Upstream shows the first port.
    if (last < number) errors.push(invalidField(end, number, 'must be greater than or equal to `port`'));
    return [...errors, ...portNumber([end, last])];
  }
  if (last !== undefined) {
    const why = number === undefined ? 'not specified' : 'non-numeric';
    errors.push(invalidField(end, last, `may not be specified when \`port\` is ${why}`));
  }
  return number === undefined ? errors : [...errors, ...text([`${field}.port`, number], portNameErrors)];
}

function peerErrors(field: string, peer: unknown, before: readonly unknown[]): FieldError[] {
  const block = valueAt(peer, 'ipBlock');
  const selectors = ['podSelector', 'namespaceSelector'].map((name) => at(peer, field, name));
  const hasSelector = selectors.some(([, selector]) => selector !== undefined);
  const errors = selectors.flatMap(selectorErrors);
  if (block === undefined) return hasSelector ? errors : [...errors, requiredField(field, 'must specify a peer')];
  errors.push(...blockErrors(`${field}.ipBlock`, block, before));
  if (hasSelector) errors.push(forbiddenField(field, 'may not specify both ipBlock and another peer'));
  return errors;
}

function blockErrors(field: string, block: unknown, before: readonly unknown[]): FieldError[] {
  const cidr = scalarText(valueAt(block, 'cidr'));
  if (cidr === '') return [requiredField(`${field}.cidr`, '')];
  const outer = parseBlock(cidr);
  const errors = legacyBlockErrors(`${field}.cidr`, cidr, before);
  if (!outer) return errors;
  const except = listAt(block, 'except').flatMap((each, index) => {
    const [place, sent] = [`${field}.except[${index}]`, scalarText(each)];
    const inner = parseBlock(sent);
    if (!inner) return legacyBlockErrors(place, sent, before);
    const isInside = contains(outer, inner) && inner.prefix > outer.prefix;
    return isInside ? [] : [invalidField(place, sent, 'must be a strict subset of `cidr`')];
  });
  return [...errors, ...except];
}
