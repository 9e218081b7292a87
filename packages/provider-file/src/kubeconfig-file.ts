import { createHash } from 'node:crypto';
import type { ClusterConfig } from '@mcr/core';
import { isKubeconfigError, KubeconfigError } from '@mcr/core';
import { parseKubeconfigContexts } from '@mcr/core/provider';

/** What was found where a kubeconfig is to be. */
export type Reading =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'absent' }
  | { readonly type: 'unreadable'; readonly error: Error };

/** A context that can be used, or could be. */
export interface Context {
  readonly config: ClusterConfig;
  /** SHA-256 of the file that it was read from. */
  readonly digest: string;
}

/** What is known of one kubeconfig file. */
export interface KubeconfigFile {
  /** What `contexts` come from. */
  readonly text: string;
  /** The good ones, and those that were good before and are not now. */
  readonly contexts: ReadonlyMap<string, Context>;
  /** What is wrong with the contexts that cannot be used, by their names. */
  readonly faults: ReadonlyMap<string, Error>;
  /** What is wrong with the file as a whole: all of its contexts are as they were before. */
  readonly fault?: Error;
}

export interface KubeconfigFileOptions {
  readonly path: string;
  readonly policy: 'trusted' | 'untrusted';
}

const NOTHING: KubeconfigFile = { text: '', contexts: new Map(), faults: new Map() };

/**
 * What is known of a file after it was read again; nothing, when it is gone. What cannot be used takes nothing away from
 * what could be used before.
 */
export function nextFile(
  before: KubeconfigFile | undefined,
  reading: Reading,
  options: KubeconfigFileOptions,
): KubeconfigFile | undefined {
  switch (reading.type) {
    case 'absent':
      return undefined;
    case 'unreadable':
      return { ...(before ?? NOTHING), fault: reading.error };
    case 'text':
      // Faults may be those of other files, that the kubeconfig names.
      if (before?.text === reading.text && !before.fault && before.faults.size === 0) return before;
      return parse(before ?? NOTHING, reading.text, options);
  }
}

function parse(before: KubeconfigFile, text: string, options: KubeconfigFileOptions): KubeconfigFile {
  let parsed: ReturnType<typeof parseKubeconfigContexts>;
  try {
    parsed = parseKubeconfigContexts(text, options);
  } catch (error) {
    return { ...before, fault: error as Error };
  }
  const parts = partsOf(text);
  const missing = partsOf(before.text).filter((part) => !parts.includes(part));
  if (missing.length > 0) {
    const problem = `seems to be half-written: it has no ${missing.join(' and no ')} any more`;
    return { ...before, fault: new KubeconfigError(problem, { path: options.path }) };
  }

  const digest = createHash('sha256').update(text).digest('hex');
  const contexts = new Map<string, Context>();
  const faults = new Map<string, Error>();
  for (const [name, config] of parsed) {
    const good = isKubeconfigError(config) ? before.contexts.get(name) : { config, digest };
    if (good) contexts.set(name, good);
    if (isKubeconfigError(config)) faults.set(name, config);
  }
  // What is not there yet may be about to be written: a context is gone once all that is named is there.
  if ([...parsed.values()].some(namesWhatIsMissing)) {
    for (const [name, context] of before.contexts) {
      if (parsed.has(name)) continue;
      contexts.set(name, context);
      faults.set(name, new KubeconfigError('seems to be half-written: it has lost a context', { path: options.path }));
    }
  }
  return { text, contexts, faults };
}

/** The parts that a kubeconfig consists of, as far as they are in `text` and something follows. JSON cut off is no JSON. */
function partsOf(text: string): string[] {
  return text.match(/^(clusters|contexts|users)(?=:\s*\S)/gm) ?? [];
}

function namesWhatIsMissing(config: ClusterConfig | KubeconfigError): boolean {
  return isKubeconfigError(config) && /\.context\.(cluster|user)$/.test(config.field ?? '');
}
