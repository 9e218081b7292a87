import { describe, expect, it } from '@jest/globals';
import { createControlPlane } from '@mcr/envtest';
import { readAnswers } from './answers.ts';
import { type ScriptName, scripts } from './scripts.ts';

/** If kube-apiserver is available, the tests also check that it still gives the recorded answers. */
const backends = process.env['KUBEBUILDER_ASSETS'] ? (['embedded', 'binaries'] as const) : (['embedded'] as const);

describe.each(backends)('a control plane of backend "%s" gives the answers of kube-apiserver v1.35.4', (backend) => {
  async function compare(name: ScriptName): Promise<void> {
    await using controlPlane = await createControlPlane({ backend });
    const answers = await readAnswers(name);
    const given = await scripts[name](controlPlane.config);
    for (const [index, answer] of given.entries()) expect(answer).toEqual(answers[index]);
    expect(given).toHaveLength(answers.length);
  }

  it('K-1 to K-8, K-10 to K-19, K-21: to reads, writes and watches', () => compare('protocol'));

  it('K-25: to applies, updates and patches by several managers', () => compare('apply'));

  it('K-20, K-28: about defaults, validation and lifecycles', () => compare('kinds'));

  it('K-20: about changes of single fields, in the same order', () => compare('changes'));

  it('K-28: about the status of built-in kinds, in the same order', () => compare('statuses'));

  it('K-20, K-26: about schemas, numbers and expressions', () => compare('schemas'));
  it('K-28: about single points that random operations seldom reach', () => compare('corners'));

  it('K-26, K-27: with webhooks and policies, and sends them the same reviews', () => compare('admission'));
});
