import type { Json, JsonObject } from './operation.ts';
import { isOwnInYaml, isRepairEvent, REPAIR_EVENT } from './normaliser.ts';
import type { Answer } from './side.ts';

/** One value that differs. */
export interface Discrepancy {
  /** Path in the answer, such as `body.spec.replicas`. Indexes of lists are `[]`. */
  readonly path: string;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

/** Maximum number of values to report for one answer. */
const LIMIT = 12;

/** Compares the answer of the real server with that of the embedded one. */
export function compare(expected: Answer, actual: Answer): readonly Discrepancy[] {
  const found: Discrepancy[] = [];
  visit('', expected as unknown as Json, actual as unknown as Json, found);
  return found;
}

function visit(path: string, expected: Json | undefined, actual: Json | undefined, found: Discrepancy[]): void {
  if (found.length >= LIMIT || expected === actual) return;
  if (Array.isArray(expected) && expected.includes(REPAIR_EVENT)) {
    visit(path, ...withoutRepairs(expected as readonly Json[], actual), found);
  } else if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    for (let index = 0; index < length; index++) {
      visit(`${path}[]`, (expected as Json[])[index], (actual as Json[])[index], found);
    }
  } else if (isObject(expected) && isObject(actual)) {
    for (const field of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      visit(path === '' ? field : `${path}.${field}`, expected[field], actual[field], found);
    }
  } else if (!isSameText(expected, actual)) {
    found.push({ path, expected, actual });
  }
}

/**
 * Returns lists without Events of the controllers that repair Services, which only the real server has. In a page, they take
 * the place of objects that only the embedded server has in its page.
 */
function withoutRepairs(expected: readonly Json[], actual: Json | undefined): [Json, Json | undefined] {
  const kept = expected.filter((item) => item !== REPAIR_EVENT);
  // Servers return null for some empty lists.
  if (kept.length === 0 && actual === null) return [null, null];
  const isFullPage = Array.isArray(actual) && actual.length === expected.length;
  return [kept, isFullPage ? (actual as readonly Json[]).slice(0, kept.length) : actual];
}

/**
 * Compares bodies in YAML without the order of managers, which depends on the time, and without what only the binaries
 * have.
 */
function isSameText(expected: Json | undefined, actual: Json | undefined): boolean {
  if (typeof expected !== 'string' || typeof actual !== 'string') return false;
  if (isStatus(expected) && isStatus(actual)) return partsOf(expected) === partsOf(actual);
  return withSortedManagers(withoutOwnItems(expected)) === withSortedManagers(actual);
}

function isStatus(yaml: string): boolean {
  return yaml.startsWith('apiVersion: v1\ncode: ') && /^kind: Status$/mu.test(yaml);
}

/** Returns an error in YAML without the order of its causes, which may be random. Answers in JSON show the others. */
function partsOf(yaml: string): string {
  return yaml
    .split(/\n *(?:- )?|, |: \[/u)
    .map((part) => part.replace(/\]?'?$/u, ''))
    .toSorted()
    .join('\n');
}

/** Drops from a list in YAML the objects that the binaries create themselves, and the Events of {@link isRepairEvent}. */
function withoutOwnItems(yaml: string): string {
  const isOwn = (text: string): boolean => isRepairEvent(text) || isOwnInYaml(text);
  if (!yaml.startsWith('apiVersion: ') || !isOwn(yaml)) return yaml;
  const left = yaml.replaceAll(/^- .*\n(?: {2}.*\n)*/gmu, (item) => (isOwn(item) ? '' : item));
  return left.replace(/^items:\n(?!- )/mu, 'items: []\n');
}

const MANAGERS = /^(?<indent> *)managedFields:\n(?<entries>(?:\k<indent>(?:- | {2}).*\n)+)/gmu;

function withSortedManagers(yaml: string): string {
  return yaml.replaceAll(MANAGERS, (_, indent: string, entries: string) => {
    const sorted = entries.split(new RegExp(`^(?=${indent}- )`, 'mu')).toSorted();
    return `${indent}managedFields:\n${sorted.join('')}`;
  });
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
