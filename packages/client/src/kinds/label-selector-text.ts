import { shortened } from '../text/shortened.ts';
import { isLabelKey, isLabelValue } from './label-selector.ts';

/** A label selector in an API object, such as `spec.selector` of a Deployment. (Upstream: `metav1.LabelSelector`.) */
export interface ObjectLabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?:
    | readonly {
        readonly key: string;
        /** `In`, `NotIn`, `Exists` or `DoesNotExist`. */
        readonly operator: string;
        readonly values?: readonly string[] | undefined;
      }[]
    | undefined;
}

/** Selects no object, because no object both has a label and lacks it. */
const NOTHING = 'nothing,!nothing';

/** Maximum number of bytes of a value that an error repeats. */
const MAX_SHOWN_BYTES = 200;

/**
 * Returns a label selector of an API object as text, for the option `labelSelector` of `list` and `watch`. An empty
 * selector selects everything, and `undefined` selects nothing. (Upstream: `metav1.LabelSelectorAsSelector`.)
 *
 * @throws {SyntaxError} if the API server would not accept the selector.
 *
 * @example
 * const { items } = await client.list(Pod, { namespace, labelSelector: labelSelectorText(deployment.spec.selector) });
 */
export function labelSelectorText(selector: ObjectLabelSelector | null | undefined): string {
  if (selector === undefined || selector === null) return NOTHING;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return [
    ...Object.entries(matchLabels).map(([key, value]) => `${checkedKey(key)}=${checkedValue(value)}`),
    ...matchExpressions.map(expressionText),
  ].join(',');
}

function expressionText({
  key,
  operator,
  values = [],
}: NonNullable<ObjectLabelSelector['matchExpressions']>[number]): string {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length === 0) throw invalid(`values of ${operator}`, 'at least one', 'none');
      return `${checkedKey(key)} ${operator.toLowerCase()} (${values.map(checkedValue).join(',')})`;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length > 0) throw invalid(`values of ${operator}`, 'none', String(values.length));
      return `${operator === 'Exists' ? '' : '!'}${checkedKey(key)}`;
    default:
      throw invalid('operator', 'In, NotIn, Exists or DoesNotExist', shown(operator));
  }
}

/** Text that is not a key or value would be read as a part of the selector. */
function checkedKey(key: string): string {
  if (isLabelKey(key)) return key;
  throw invalid('key', 'a label key', shown(key));
}

function checkedValue(value: string): string {
  if (value === '' || isLabelValue(value)) return value;
  throw invalid('value', 'a label value', shown(value));
}

function invalid(part: string, expected: string, found: string): SyntaxError {
  return new SyntaxError(`label selector: ${part}: expected ${expected}, found ${found}`);
}

function shown(text: string): string {
  return JSON.stringify(shortened(text, MAX_SHOWN_BYTES));
}
