import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { ask, CancelledError } from './ask.ts';
import type { Flags } from './create-program.ts';

const RETURN = '\r';
const DOWN = '\u001b[B';
const CTRL_C = '\u0003';

/** Answers each question, once it is shown, by the keys for it. @returns the answers, and the questions. */
async function answer(
  flags: Flags,
  keysOf: Readonly<Record<string, string>>,
): Promise<{ answers: Flags; asked: string[] }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const asked: string[] = [];
  const questions = [
    ...['Directory of the project', 'Where do the clusters come from?', 'What does the controller reconcile?'],
    ...['Name of the kind', 'Group of the kind', 'Add webhooks?'],
  ];
  output.on('data', (chunk: Buffer) => {
    const question = questions.find((each) => !asked.includes(each) && chunk.toString().includes(each));
    if (question === undefined) return;
    asked.push(question);
    // The prompt listens for keys once it has been shown.
    setImmediate(() => {
      for (const key of (keysOf[question] ?? RETURN).split(' ')) input.write(key);
    });
  });
  return { answers: await ask(flags, { input, output }), asked };
}

describe('the questions of npm create @mcr', () => {
  it('WB-1: the return key chooses the default of each question', async () => {
    const { answers, asked } = await answer({}, {});
    expect(answers).toEqual({
      directory: 'my-operator',
      provider: 'kubeconfig',
      kind: 'Greeting',
      group: 'demo.example.com',
      webhooks: false,
    });
    expect(asked).toHaveLength(6);
  });

  it('WB-1: asks only for what the flags do not say', async () => {
    const { answers, asked } = await answer({ directory: 'a', provider: 'none', group: 'a.b', webhooks: true }, {});
    expect(answers).toEqual({ directory: 'a', provider: 'none', kind: 'Greeting', group: 'a.b', webhooks: true });
    expect(asked).toEqual(['Name of the kind']);
  });

  it('WB-1: a built-in kind has no name and group to ask for', async () => {
    const { answers, asked } = await answer(
      { directory: 'a', provider: 'none' },
      { 'What does the controller reconcile?': `${DOWN} ${DOWN} ${RETURN}` },
    );
    expect(answers).toEqual({ directory: 'a', provider: 'none', builtin: 'Secret', webhooks: false });
    expect(asked).toEqual(['What does the controller reconcile?', 'Add webhooks?']);
  });

  it('WB-1: Ctrl-C ends the questions', async () => {
    await expect(answer({}, { 'Where do the clusters come from?': CTRL_C })).rejects.toThrow(CancelledError);
  });
});
