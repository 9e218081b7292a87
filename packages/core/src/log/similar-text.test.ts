import { describe, expect, it } from '@jest/globals';
import { similarText } from './similar-text.ts';

describe('similar texts', () => {
  const flags = ['--namespace', '--name', '--context', '--kubeconfig'];

  it.each([
    ['--namespce', '--namespace'],
    ['--nmae', '--name'],
    ['--Context', '--context'],
    ['--kubecofnig', '--kubeconfig'],
  ])('WB-4: finds what %s means', (text, meant) => {
    expect(similarText(text, flags)).toBe(meant);
  });

  it('WB-4: finds nothing for a text that is not similar, too short, or too long', () => {
    expect(similarText('--output', flags)).toBeUndefined();
    expect(similarText('x', ['y', 'z'])).toBeUndefined();
    expect(similarText('json', [])).toBeUndefined();
    expect(similarText('a'.repeat(1_000_000), ['a'.repeat(1_000_000)])).toBeUndefined();
  });
});
