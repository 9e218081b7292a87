import type { FieldError } from '../../status.ts';
import { duplicateField, invalidField, unsupportedField } from '../../status.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { labelKeysErrors } from './label-keys.ts';
import { at, required, supported } from './rules.ts';
import { selectorErrors } from './selector.ts';

const ACTIONS = ['DoNotSchedule', 'ScheduleAnyway'];
const POLICIES = ['Honor', 'Ignore'];

/** Validates how Pods spread over topologies (upstream: `validateTopologySpreadConstraints`). */
export function topologySpreadErrors([path, constraints]: readonly [string, unknown]): FieldError[] {
  const list = Array.isArray(constraints) ? (constraints as readonly unknown[]) : [];
  return list.flatMap((constraint, index) => {
    const field = `${path}[${index}]`;
    const selector = valueAt(constraint, 'labelSelector');
    const action = scalarText(valueAt(constraint, 'whenUnsatisfiable'));
    const isRepeated = list.slice(index + 1).some((other) => kindOf(other) === kindOf(constraint));
    return [
      ...positive([`${field}.maxSkew`, valueAt(constraint, 'maxSkew') ?? 0]),
      ...required(at(constraint, field, 'topologyKey'), 'can not be empty'),
      ...(ACTIONS.includes(action) ? [] : [unsupportedField(`${field}.whenUnsatisfiable`, action, ACTIONS)]),
      ...(isRepeated ? [duplicateField(`${field}.{topologyKey, whenUnsatisfiable}`, kindOf(constraint))] : []),
      ...domainErrors(at(constraint, field, 'minDomains'), action),
      ...supported(at(constraint, field, 'nodeAffinityPolicy'), POLICIES),
      ...supported(at(constraint, field, 'nodeTaintsPolicy'), POLICIES),
      ...labelKeysErrors(field, { match: listAt(constraint, 'matchLabelKeys'), mismatch: [], selector }),
      ...selectorErrors([`${field}.labelSelector`, selector]),
    ];
  });
}

function kindOf(constraint: unknown): string {
  const [key, action] = ['topologyKey', 'whenUnsatisfiable'].map((name) => scalarText(valueAt(constraint, name)));
  return `{${key}, ${action}}`;
}

function positive([field, value]: readonly [string, unknown]): FieldError[] {
  return Number(value) > 0 ? [] : [invalidField(field, value, 'must be greater than zero')];
}

function domainErrors([field, value]: readonly [string, unknown], action: string): FieldError[] {
  if (value === undefined) return [];
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  return [...positive([field, value]), ...(action === 'DoNotSchedule' ? [] : [invalidField(field, value, detail)])];
}
