import type { Document, LineCounter, Tags } from 'yaml';
import { requireExact } from '../schema/exact-integers.ts';

/** Maximum number of nodes that aliases may add to a text. */
const ALIAS_LIMIT = 100;

/** A value, and the keys that its text contains more than once. */
export interface ParsedYaml {
  readonly value: unknown;
  /** For example `line 7: key "a" already set in map`. */
  readonly duplicates: readonly string[];
}

/** A text is not YAML. Messages follow `sigs.k8s.io/yaml`. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
}

/**
 * Parses YAML 1.1, as a real server does: `y` and `on` are booleans. Times and numbers to base 60 are texts.
 *
 * @throws {YamlError}
 * @throws {StatusError} 501 for an integer that would be rounded.
 */
export async function parseYaml(text: string): Promise<ParsedYaml> {
  const { LineCounter, parseDocument, visit } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.1',
    uniqueKeys: false,
    lineCounter: lines,
    customTags: (tags) => tags.filter(isKnownToGo),
  });
  refuseInvalid(document, lines);
  const duplicates: string[] = [];
  visit(document, {
    Scalar(_, { value, source = '' }) {
      if (typeof value === 'number' && /^[-+]?\d{16,}$/u.test(source)) requireExact(BigInt(source.replace('+', '')));
    },
    Map(_, { items }) {
      const seen = new Set<string>();
      for (const { key } of items) {
        const name = scalarKey(key);
        if (seen.has(name)) {
          const { line } = lines.linePos(startOf(key));
          duplicates.push(`line ${line}: key ${JSON.stringify(name)} already set in map`);
        }
        seen.add(name);
      }
    },
  });
  return { value: document.toJS({ maxAliasCount: ALIAS_LIMIT }) as unknown, duplicates };
}

function isKnownToGo(tag: Tags[number]): boolean {
  if (typeof tag === 'string') return tag !== 'timestamp' && tag !== 'intTime' && tag !== 'floatTime';
  return tag.tag !== 'tag:yaml.org,2002:timestamp' && !('format' in tag && tag.format === 'TIME');
}

/** Messages of a real server for common mistakes, by error code. */
const MESSAGES: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'mapping values are not allowed in this context',
  TAB_AS_INDENT: 'found character that cannot start any token',
  BAD_INDENT: 'did not find expected key',
};

function refuseInvalid({ errors: [error] }: Document, lines: LineCounter): void {
  if (!error) return;
  const { line } = lines.linePos(error.pos[0]);
  const [text = ''] = error.message.split('\n');
  // A real server does not name the first line.
  const where = line > 1 ? `line ${line}: ` : '';
  const message = MESSAGES[error.code] ?? text.replace(/ at line \d+, column \d+:$/, '');
  throw new YamlError(`error converting YAML to JSON: yaml: ${where}${message}`);
}

function scalarKey(key: unknown): string {
  const value = typeof key === 'object' && key !== null && 'value' in key ? key.value : key;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function startOf(key: unknown): number {
  const range = typeof key === 'object' && key !== null && 'range' in key ? key.range : undefined;
  return Array.isArray(range) ? Number(range[0]) : 0;
}
