import { compile } from '../../../cel/compile.ts';
import { kubernetesFunctions } from '../../../cel/kubernetes.ts';
import type { CelType } from '../../../cel/types.ts';
import { ANY, ANY_NAME, mapOf, opaque, STRING, typeText } from '../../../cel/types.ts';
import type { FieldError } from '../../../status.ts';
import { forbiddenField, invalidField, requiredField } from '../../../status.ts';
import { scalarText } from '../../resource-type.ts';
import { at } from '../rules.ts';
import { listErrors, tooLongField } from './lists.ts';

const MOST_SELECTORS = 32;
const LONGEST_EXPRESSION = 10 * 1024;
const LARGEST_COST = 1_000_000;

/** Limits of a device, from which costs are estimated. */
const LONGEST_DOMAIN = 63;
const LONGEST_IDENTIFIER = 32;
const LONGEST_VALUE = 64;
const MOST_ATTRIBUTES = 32;

const domain: CelType = { ...STRING, maxElements: LONGEST_DOMAIN };
const identifier: CelType = { ...STRING, maxElements: LONGEST_IDENTIFIER };

const byDomain = (value: CelType): CelType => ({
  ...mapOf(domain, { ...mapOf(identifier, value), maxElements: MOST_ATTRIBUTES }),
  maxElements: MOST_ATTRIBUTES,
});

/** The variable `device` of expressions (upstream: `k8s.io/dynamic-resource-allocation/cel`). */
const DEVICE: CelType = {
  kind: 'object',
  name: 'kubernetes.DRADevice',
  params: [],
  fields: new Map([
    ['driver', domain],
    ['attributes', byDomain({ ...ANY, maxElements: LONGEST_VALUE })],
    ['capacity', byDomain(opaque('kubernetes.Quantity'))],
  ]),
};

const ENVIRONMENT = { variables: { device: DEVICE }, functions: kubernetesFunctions, hasBindings: true };

/** Validates the selectors of devices (upstream: `validateSelectorSlice`). */
export function selectorsErrors([path, selectors]: readonly [string, unknown]): FieldError[] {
  return listErrors(path, Array.isArray(selectors) ? (selectors as unknown[]) : [], {
    limit: MOST_SELECTORS,
    item: (field, selector) => {
      const [place, cel] = at(selector, field, 'cel');
      if (cel === undefined) return [requiredField(place, '')];
      const [own, expression] = at(cel, place, 'expression');
      return expressionErrors(own, scalarText(expression));
    },
  });
}

function expressionErrors(field: string, expression: string): FieldError[] {
  if (Buffer.byteLength(expression) > LONGEST_EXPRESSION) return [tooLongField(field, LONGEST_EXPRESSION)];
  const { compiled, error } = compile(expression, ENVIRONMENT);
  if (!compiled) return [invalidField(field, expression, `compilation failed: ${error}`)];
  const { type, instantiationError, maxCost } = compiled;
  if (type.kind !== 'bool' && type.name !== ANY_NAME) {
    const detail = `must evaluate to bool or the unknown type, not ${typeText(type)}`;
    return [invalidField(field, expression, detail)];
  }
  if (instantiationError !== undefined) {
    return [
      {
        reason: 'InternalError',
        field,
        message: `Internal error: program instantiation failed: ${instantiationError}`,
      },
    ];
  }
  return maxCost() > LARGEST_COST ? [forbiddenField(field, 'too complex, exceeds cost limit')] : [];
}
