import { describe, expect, it } from '@jest/globals';
import { labelSelectorText, type ObjectLabelSelector } from './label-selector-text.ts';
import { matchesLabels, parseLabelSelector } from './label-selector.ts';

function matches(selector: ObjectLabelSelector | null | undefined, labels: Record<string, string>): boolean {
  return matchesLabels(parseLabelSelector(labelSelectorText(selector)), labels);
}

describe('labelSelectorText', () => {
  it('K-4: returns the text of labels and expressions, which must all match', () => {
    const selector = {
      matchLabels: { app: 'cart', 'example.com/empty': '' },
      matchExpressions: [
        { key: 'env', operator: 'In', values: ['prod', ''] },
        { key: 'tier', operator: 'NotIn', values: ['db'] },
        { key: 'in', operator: 'Exists' },
        { key: 'old', operator: 'DoesNotExist', values: [] },
      ],
    };
    expect(labelSelectorText(selector)).toBe('app=cart,example.com/empty=,env in (prod,),tier notin (db),in,!old');
    const labels = { app: 'cart', 'example.com/empty': '', env: '', in: 'x' };
    expect(matches(selector, labels)).toBe(true);
    for (const other of [{ app: 'shop' }, { env: 'test' }, { tier: 'db' }, { old: '' }]) {
      expect(matches(selector, { ...labels, ...other })).toBe(false);
    }
  });

  it('K-4: an empty selector matches everything, and a missing one matches nothing', () => {
    for (const labels of [{}, { nothing: 'x' }, { app: 'cart' }]) {
      expect(matches({}, labels)).toBe(true);
      expect(matches({ matchLabels: {}, matchExpressions: [] }, labels)).toBe(true);
      expect(matches(undefined, labels)).toBe(false);
      expect(matches(null, labels)).toBe(false);
    }
  });

  it.each<[string, ObjectLabelSelector]>([
    ['value: expected a label value, found "x,!app"', { matchLabels: { app: 'x,!app' } }],
    ['key: expected a label key, found "app=x,b"', { matchLabels: { 'app=x,b': 'y' } }],
    ['value: expected a label value, found "a)"', { matchExpressions: [{ key: 'a', operator: 'In', values: ['a)'] }] }],
    ['values of In: expected at least one, found none', { matchExpressions: [{ key: 'a', operator: 'In' }] }],
    [
      'values of Exists: expected none, found 1',
      { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
    ],
    [
      'operator: expected In, NotIn, Exists or DoesNotExist, found "Gt"',
      { matchExpressions: [{ key: 'a', operator: 'Gt' }] },
    ],
  ])('K-4: refuses a selector with %s', (message, selector) => {
    expect(() => labelSelectorText(selector)).toThrow(new SyntaxError(`label selector: ${message}`));
  });
});
