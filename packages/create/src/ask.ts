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

/** Asks for what the flags do not say. Each question has a default, which the return key chooses. */
export async function ask(flags: Flags): Promise<Flags> {
  intro('npm create @mcr');
  const directory = flags.directory ?? (await line('Directory of the project', DEFAULTS.directory, nameOf));
  const provider = flags.provider ?? (await chosenProvider());
  const builtin = flags.builtin ?? (flags.kind === undefined ? await chosenKind() : undefined);
  if (builtin !== undefined) return { ...flags, directory, provider, builtin, webhooks: await webhooks(flags) };
  const kind = flags.kind ?? (await line('Name of the kind', DEFAULTS.kind, checkKindName));
  const group = flags.group ?? (await line('Group of the kind', DEFAULTS.group, checkGroup));
  return { ...flags, directory, provider, kind, group, webhooks: await webhooks(flags) };
}

async function line(message: string, initialValue: string, check: (value: string) => string): Promise<string> {
  const validate = (value = ''): string | undefined => {
    try {
      check(value);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };
  return answered(await text({ message, initialValue, validate }));
}

async function chosenProvider(): Promise<ProviderName> {
  const names = Object.keys(PROVIDERS) as ProviderName[];
  const options = names.map((value) => ({ value, label: value, hint: PROVIDERS[value] }));
  return answered(
    await select<ProviderName>({
      message: 'Where do the clusters come from?',
      options,
      initialValue: DEFAULTS.provider,
    }),
  );
}

/** Returns a built-in kind, or `undefined` for one that the program defines. */
async function chosenKind(): Promise<BuiltInName | undefined> {
  const builtIn = BUILT_IN.map((value) => ({ value, label: value }));
  const options = [{ value: 'own' as const, label: 'a kind of your own' }, ...builtIn];
  const chosen = answered(
    await select<BuiltInName | 'own'>({ message: 'What does the controller reconcile?', options, initialValue: 'own' }),
  );
  return chosen === 'own' ? undefined : chosen;
}

async function webhooks({ webhooks: given }: Flags): Promise<boolean> {
  return given ?? answered(await confirm({ message: 'Add webhooks?', initialValue: false }));
}

function answered<Value>(answer: Value): Exclude<Value, symbol> {
  if (!isCancel(answer)) return answer as Exclude<Value, symbol>;
  cancel('nothing was written');
  throw new CancelledError('nothing was written');
}
