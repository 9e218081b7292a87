import type { FieldError } from '../../../status.ts';
import { duplicateField, invalidField, requiredField, unsupportedField } from '../../../status.ts';
import { listAt } from '../../cells.ts';
import { qualifiedNameErrors, regexError } from '../../names.ts';
import { scalarText, valueAt } from '../../resource-type.ts';
import { isEmpty } from '../rules.ts';

const STATUSES = ['False', 'True', 'Unknown'];
const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const LONGEST_REASON = 1024;
const LONGEST_MESSAGE = 32 * 1024;

/** Validates the conditions of a status (upstream: `ValidateConditions` of `k8s.io/apimachinery`). */
export function conditionsErrors(path: string, status: unknown): FieldError[] {
  const conditions = listAt(status, 'conditions');
  const types = conditions.map((condition) => scalarText(valueAt(condition, 'type')));
  return conditions.flatMap((condition, index) => {
    const field = `${path}.conditions[${index}]`;
    const type = types[index] ?? '';
    return [
      ...(types.indexOf(type) < index ? [duplicateField(`${field}.type`, type)] : []),
      ...qualifiedNameErrors(type).map((detail) => invalidField(`${field}.type`, type, detail)),
      ...conditionErrors(field, condition),
    ];
  });
}

function conditionErrors(field: string, condition: unknown): FieldError[] {
  const [status, reason, message] = ['status', 'reason', 'message'].map((name) => scalarText(valueAt(condition, name)));
  const observed = Number(valueAt(condition, 'observedGeneration') ?? 0);
  return [
    ...(STATUSES.includes(status ?? '') ? [] : [unsupportedField(`${field}.status`, status, STATUSES)]),
    ...(observed < 0
      ? [invalidField(`${field}.observedGeneration`, observed, 'must be greater than or equal to zero')]
      : []),
    ...(isEmpty(valueAt(condition, 'lastTransitionTime')) ? [requiredField(`${field}.lastTransitionTime`, '')] : []),
    ...reasonErrors(`${field}.reason`, reason ?? ''),
    ...tooLong(`${field}.message`, message ?? '', LONGEST_MESSAGE),
  ];
}

function reasonErrors(field: string, reason: string): FieldError[] {
  if (reason === '') return [requiredField(field, '')];
  const rule =
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'";
  const isValid = new RegExp(`^${REASON}$`, 'u').test(reason);
  return [
    ...(isValid
      ? []
      : [
          invalidField(
            field,
            reason,
            regexError(rule, REASON, 'my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'),
          ),
        ]),
    ...tooLong(field, reason, LONGEST_REASON),
  ];
}

function tooLong(field: string, text: string, limit: number): FieldError[] {
  if (Buffer.byteLength(text) <= limit) return [];
  return [{ reason: 'FieldValueTooLong', field, message: `Too long: may not be more than ${limit} bytes` }];
}

/** Validates the types of conditions (upstream: `ValidateFlowSchemaStatus`). */
export function typedConditionsErrors(path: string, status: unknown): FieldError[] {
  const types = listAt(status, 'conditions').map((condition) => scalarText(valueAt(condition, 'type')));
  return types.flatMap((type, index) => {
    const field = `${path}.conditions[${index}].type`;
    return [
      ...(types.indexOf(type) < index ? [duplicateField(field, type)] : []),
      ...(type === '' ? [requiredField(field, '')] : []),
    ];
  });
}
