import { parseDocument } from 'yaml';
import * as z from 'zod';
import { expectationText } from '../options/issue-text.ts';
import type { Entry } from './kubeconfig-entry.ts';
import { KubeconfigError } from './kubeconfig-error.ts';

/** Maximum number of aliases in a text, so that a small text cannot expand to a huge one. */
const MAX_ALIASES = 100;
/**
 * Matches words, names, base64 and spaces. All other characters are structure; the parser takes up to 40 µs for each.
 */
const WORDS = /[\w+/=. ]+/g;
/** Matches an explicit key, `? key`. The parser takes cubic time for nested ones, and kubeconfigs do not need them. */
const EXPLICIT_KEY = /(?<!\w)\?(?=[\s,[\]{}]|$)/;
/**
 * Limits on a text, by policy. Parsing blocks the event loop. The limits of untrusted texts keep the worst case below
 * 50 ms. The API server limits a whole Secret to 1 MiB.
 */
const LIMITS = {
  trusted: { bytes: 1024 * 1024, marks: 50_000 },
  untrusted: { bytes: 256 * 1024, marks: 750 },
};

/* The supported fields. Other fields are ignored, as kubectl does. `field:` without a value is read as `null`. */

const text = z.string().nullish();
const flag = z.boolean().nullish();

const cluster = z.object({
  server: text,
  'certificate-authority': text,
  'certificate-authority-data': text,
  'tls-server-name': text,
  'insecure-skip-tls-verify': flag,
  'proxy-url': text,
  extensions: z.array(z.object({ name: z.string(), extension: z.unknown().optional() })).nullish(),
});

const exec = z.object({
  apiVersion: z.string(),
  command: z.string(),
  args: z.array(z.string()).nullish(),
  env: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  provideClusterInfo: flag,
  installHint: text,
  interactiveMode: text,
});

const user = z.object({
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  exec: exec.nullish(),
  'auth-provider': z.object({ name: z.string(), config: z.record(z.string(), z.string()).nullish() }).nullish(),
  as: text,
  'as-uid': text,
  'as-groups': z.array(z.string()).nullish(),
  'as-user-extra': z.record(z.string(), z.array(z.string())).nullish(),
});

const context = z.object({ cluster: text, user: text });

const kubeconfigSchema = z.object(
  {
    'current-context': text,
    contexts: z.array(z.object({ name: z.string(), context: context.nullish() })).nullish(),
    clusters: z.array(z.object({ name: z.string(), cluster: cluster.nullish() })).nullish(),
    users: z.array(z.object({ name: z.string(), user: user.nullish() })).nullish(),
  },
  'is not a kubeconfig: expected the fields clusters, contexts and users',
);

type Kubeconfig = z.infer<typeof kubeconfigSchema>;
type PartOf<List extends 'contexts' | 'clusters' | 'users'> = NonNullable<Kubeconfig[List]>[number];

export type KubeconfigCluster = NonNullable<PartOf<'clusters'>['cluster']>;
export type KubeconfigUser = NonNullable<PartOf<'users'>['user']>;
export type KubeconfigContext = NonNullable<PartOf<'contexts'>['context']>;

/** One kubeconfig, or several merged ones. The maps are keyed by name. */
export interface KubeconfigDocument {
  readonly path: string | undefined;
  readonly currentContext: string | undefined;
  readonly contexts: ReadonlyMap<string, Entry<KubeconfigContext>>;
  readonly clusters: ReadonlyMap<string, Entry<KubeconfigCluster>>;
  readonly users: ReadonlyMap<string, Entry<KubeconfigUser>>;
}

export interface ReadOptions {
  /** Selects the limits on the text. */
  readonly policy: 'trusted' | 'untrusted';
  readonly path?: string | undefined;
}

/** Parses a kubeconfig in YAML or JSON. @throws {KubeconfigError} if `source` is not a kubeconfig. */
export function readKubeconfigDocument(source: string, { policy, path }: ReadOptions): KubeconfigDocument {
  const parsed = kubeconfigSchema.safeParse(readYaml(source, { policy, path }), { error: expectationText });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new KubeconfigError(issue?.message ?? 'is not valid', { field: fieldText(issue?.path ?? []), path });
  }
  const { 'current-context': currentContext, contexts, clusters, users } = parsed.data;
  return {
    path,
    currentContext: currentContext || undefined,
    contexts: byName(contexts ?? [], ({ context }) => context ?? {}, { list: 'contexts', part: 'context', path }),
    clusters: byName(clusters ?? [], ({ cluster }) => cluster ?? {}, { list: 'clusters', part: 'cluster', path }),
    users: byName(users ?? [], ({ user }) => user ?? {}, { list: 'users', part: 'user', path }),
  };
}

/** Merges kubeconfigs as kubectl does: the first entry of each name and the first current context win. */
export function mergeKubeconfigDocuments(documents: readonly KubeconfigDocument[]): KubeconfigDocument {
  const firstOf = <T>(maps: readonly ReadonlyMap<string, T>[]) => new Map(maps.toReversed().flatMap((map) => [...map]));
  return {
    path: documents.map(({ path }) => path).join(', '),
    currentContext: documents.find((document) => document.currentContext)?.currentContext,
    contexts: firstOf(documents.map((document) => document.contexts)),
    clusters: firstOf(documents.map((document) => document.clusters)),
    users: firstOf(documents.map((document) => document.users)),
  };
}

/**
 * Parses YAML. The parser's messages quote the text, which may be a credential, so errors contain only the line and the
 * code of the fault.
 */
function readYaml(source: string, { policy, path }: ReadOptions): unknown {
  const { bytes, marks } = LIMITS[policy];
  if (Buffer.byteLength(source) > bytes) throw new KubeconfigError(`is larger than ${bytes} bytes`, { path });
  if (source.replaceAll(WORDS, '').length > marks) {
    throw new KubeconfigError(
      `has more than ${marks} punctuation marks and line breaks: keep a single cluster, which needs fewer than 100`,
      { path },
    );
  }
  if (policy === 'untrusted' && EXPLICIT_KEY.test(source)) {
    throw new KubeconfigError('has a question mark before a space, which starts an explicit key: write `key: value`', {
      path,
    });
  }
  if (source.trim() === '') throw new KubeconfigError('is empty', { path });
  try {
    // The check for duplicate keys takes quadratic time.
    const document = parseDocument(source, { prettyErrors: false, uniqueKeys: false, logLevel: 'silent' });
    const [error] = document.errors;
    if (error) {
      const line = source.slice(0, error.pos[0]).split('\n').length;
      throw new KubeconfigError(`is not valid YAML at line ${line} (${error.code})`, { path });
    }
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (error instanceof KubeconfigError) throw error;
    throw new KubeconfigError(`is not valid YAML: ${problemOf(error)}`, { path });
  }
}

/** Describes an error of the parser by its class, because its message quotes the text. */
function problemOf(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply';
  if (error instanceof ReferenceError) return 'it uses an anchor too often, or an anchor that is not defined';
  return `the parser failed (${error instanceof Error ? error.name : typeof error})`;
}

function byName<Named extends { readonly name: string }, T>(
  entries: readonly Named[],
  valueOf: (entry: Named) => T,
  { list, part, path }: { readonly list: string; readonly part: string; readonly path: string | undefined },
): Map<string, Entry<T>> {
  const map = new Map<string, Entry<T>>();
  for (const [index, entry] of entries.entries()) {
    if (map.has(entry.name)) {
      throw new KubeconfigError(`duplicate name ${JSON.stringify(entry.name)}: remove or rename one entry`, {
        field: `${list}[${index}].name`,
        path,
      });
    }
    map.set(entry.name, { value: valueOf(entry), field: `${list}[${index}].${part}`, path });
  }
  return map;
}

/** Formats a path, for example `users[0].user.exec`. */
function fieldText(path: readonly PropertyKey[]): string | undefined {
  const joined = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return joined.replace(/^\./, '') || undefined;
}
