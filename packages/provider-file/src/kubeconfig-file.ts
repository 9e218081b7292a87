import { createHash } from 'node:crypto';
import type { ClusterConfig } from '@mcr/core';
import { isKubeconfigError, KubeconfigError } from '@mcr/core';
import { parseKubeconfigContexts } from '@mcr/core/provider';

/** Result of reading one kubeconfig file. */
export type Reading =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'absent' }
  | { readonly type: 'unreadable'; readonly error: Error };

/** A usable context, or the last good version of one. */
export interface Context {
  readonly config: ClusterConfig;
  /** SHA-256 of the file that it was read from. */
  readonly digest: string;
}

/** The state of one kubeconfig file. */
export interface KubeconfigFile {
  /** The text that `contexts` were parsed from. */
  readonly text: string;
  /** Valid contexts, and the last good versions of invalid ones. */
  readonly contexts: ReadonlyMap<string, Context>;
  /** Problems of invalid contexts, by name. */
  readonly faults: ReadonlyMap<string, Error>;
  /** Problem of the file as a whole. All of its contexts keep their last good versions. */
  readonly fault?: Error;
}

export interface KubeconfigFileOptions {
  readonly path: string;
  readonly policy: 'trusted' | 'untrusted';
}

const NOTHING: KubeconfigFile = { text: '', contexts: new Map(), faults: new Map() };

/**
 * Returns the state of a file after reading it again; `undefined` if it no longer exists. Invalid contents keep the last
 * good ones.
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
      // A fault may be in another file that the kubeconfig names, which may have changed.
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
    const problem = `seems to be half-written: it no longer has ${missing.join(' and ')}`;
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
  // While a context names a missing part, the file may be half-written: missing contexts are kept until it is complete.
  if ([...parsed.values()].some(namesWhatIsMissing)) {
    for (const [name, context] of before.contexts) {
      if (parsed.has(name)) continue;
      contexts.set(name, context);
      faults.set(name, new KubeconfigError('seems to be half-written: it has lost a context', { path: options.path }));
    }
  }
  return { text, contexts, faults };
}

/** The parts of a kubeconfig that `text` has with a value. Only for YAML: truncated JSON does not parse. */
function partsOf(text: string): string[] {
  return text.match(/^(clusters|contexts|users)(?=:\s*\S)/gm) ?? [];
}

function namesWhatIsMissing(config: ClusterConfig | KubeconfigError): boolean {
  return isKubeconfigError(config) && /\.context\.(cluster|user)$/.test(config.field ?? '');
}
