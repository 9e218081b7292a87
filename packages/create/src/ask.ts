import type { Readable, Writable } from 'node:stream';
import { cancel, confirm, intro, isCancel, select, text } from '@clack/prompts';
import {
  BUILT_IN,
  type BuiltInName,
  checkGroup,
  checkKindName,
  DEFAULTS,
  nameOf,
  PROVIDERS,
  type ProviderName,
} from './answers.ts';
import type { Flags } from './create-program.ts';

/** Thrown when a person ends the questions. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
}

/** Where the questions are shown and answered. Default: the terminal. */
export interface Streams {
  readonly input?: Readable;
  readonly output?: Writable;
}

/**
 * Asks for what the flags do not say. Each question has a default, which the return key chooses.
 *
 * @throws {CancelledError} after Ctrl-C or Escape.
 */
export async function ask(flags: Flags, streams: Streams = {}): Promise<Flags> {
  intro('npm create @mcr', streams);
  const line = async (message: string, initialValue: string, check: (value: string) => string): Promise<string> =>
    answered(
      await text({ ...streams, message, initialValue, validate: (value = '') => problemOf(value, check) }),
      streams,
    );
  const directory = flags.directory ?? (await line('Directory of the project', DEFAULTS.directory, nameOf));
  const provider = flags.provider ?? (await chosenProvider(streams));
  const isOwn = [flags.kind, flags.plural, flags.group].some((flag) => flag !== undefined);
  const builtin = flags.builtin ?? (isOwn ? undefined : await chosenKind(streams));
  const kind =
    builtin === undefined
      ? {
          kind: flags.kind ?? (await line('Name of the kind', DEFAULTS.kind, checkKindName)),
          group: flags.group ?? (await line('Group of the kind', DEFAULTS.group, checkGroup)),
        }
      : { builtin };
  const webhooks =
    flags.webhooks ?? answered(await confirm({ ...streams, message: 'Add webhooks?', initialValue: false }), streams);
  return { ...flags, directory, provider, ...kind, webhooks };
}

function problemOf(value: string, check: (value: string) => string): string | undefined {
  try {
    check(value);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function chosenProvider(streams: Streams): Promise<ProviderName> {
  const names = Object.keys(PROVIDERS) as ProviderName[];
  const options = names.map((value) => ({ value, label: value, hint: PROVIDERS[value] }));
  const message = 'Where do the clusters come from?';
  return answered(
    await select<ProviderName>({ ...streams, message, options, initialValue: DEFAULTS.provider }),
    streams,
  );
}

/** Returns a built-in kind, or `undefined` for one that the program defines. */
async function chosenKind(streams: Streams): Promise<BuiltInName | undefined> {
  const builtIn = BUILT_IN.map((value) => ({ value, label: value }));
  const options = [{ value: 'own' as const, label: 'a kind of your own' }, ...builtIn];
  const message = 'What does the controller reconcile?';
  const chosen = answered(
    await select<BuiltInName | 'own'>({ ...streams, message, options, initialValue: 'own' }),
    streams,
  );
  return chosen === 'own' ? undefined : chosen;
}

function answered<Value>(answer: Value, streams: Streams): Exclude<Value, symbol> {
  if (!isCancel(answer)) return answer as Exclude<Value, symbol>;
  cancel('nothing was written', streams);
  throw new CancelledError('nothing was written');
}
