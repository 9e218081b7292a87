import type { KubernetesObject } from '@mcr/client';
import { parseOptions, shortened } from '@mcr/client';
import * as z from 'zod';
import { definitionOf } from '../kind/kind-definition.ts';
import { Random } from '../sampling/random.ts';
import { sampleValue } from '../sampling/sample-value.ts';
import { type Difference, firstDifference } from './first-difference.ts';
import type { AnyKind, KindVersions } from './kind-versions.ts';

/** Options of {@link checkConversions}. */
export interface ConversionCheckOptions {
  /** The same seed checks the same objects. Default: 1. */
  readonly seed?: number;
  /** Number of objects of each version. Default: 100. */
  readonly runs?: number;
}

const schema = z.strictObject({
  seed: z.int().default(1),
  runs: z.int().min(1).max(100_000).default(100),
} satisfies Record<keyof ConversionCheckOptions, z.ZodType>);

/** Number of values to try until one matches the schema. */
const MAX_TRIES = 100;

/** Maximum size of an error, in bytes. */
const MAX_ERROR_BYTES = 2000;
/** Maximum size of the path of a field, or of a schema's problems, in an error. */
const MAX_PROBLEM_BYTES = 600;

/**
 * Checks the converters of a kind with random objects of its schemas: a conversion to the stored version and back, and from it
 * and back, must return an equal object, and every result must match the schema of its version. Some objects have labels and
 * annotations of a user. Fields with `.meta({ examples })` get these values, others random ones.
 *
 * @returns the number of objects that were checked.
 * @throws {Error} for the first object that a conversion changes or makes invalid. The message has the path of the field, its
 * value before and after, the seed and the beginning of the object, and at most 2,000 bytes.
 */
export function checkConversions(versions: KindVersions, options: ConversionCheckOptions = {}): number {
  const { seed, runs } = parseOptions('checkConversions', schema, options);
  const random = new Random(seed);
  let count = 0;
  for (const served of versions.served) {
    for (const [from, to] of [
      [served, versions.storage],
      [versions.storage, served],
    ] as const) {
      for (let run = 0; run < runs; run += 1) {
        checkRoundTrip(versions, from, to, sampleObject(from, random), seed);
        count += 1;
      }
    }
  }
  return count;
}

function checkRoundTrip(
  versions: KindVersions,
  from: AnyKind,
  to: AnyKind,
  object: KubernetesObject,
  seed: number,
): void {
  const subject = `conversion of ${from.kind} from ${from.apiVersion} to ${to.apiVersion}`;
  const refuse = (problem: string, remedy: string): never => {
    const sample = `seed ${seed}, object ${JSON.stringify(object)}`;
    throw new Error(shortened(`${subject}${problem}: ${remedy}: ${sample}`, MAX_ERROR_BYTES));
  };
  const converted = versions.convert(object, to.apiVersion);
  const parsed = to.schema?.safeParse(converted);
  if (parsed && !parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    const text = shortened(problems.join('; '), MAX_PROBLEM_BYTES);
    refuse(`: the result does not match the schema (${text})`, 'correct the converter');
  }
  const back = versions.convert(converted, from.apiVersion);
  const difference = firstDifference(toJson(object), toJson(back));
  if (!difference) return;
  const { path, expected, found } = difference;
  refuse(
    ` and back: ${shortened(path, MAX_PROBLEM_BYTES)} changed: expected ${expected}, found ${found}`,
    remedyOf(difference),
  );
}

function remedyOf({ path, expected }: Difference): string {
  if (!path.startsWith('metadata.')) return 'keep what the other version lacks, for example in an annotation';
  if (expected !== 'nothing') return 'keep the labels and annotations of users';
  return 'the conversion back must remove the labels and annotations that a conversion added';
}

function sampleObject(kind: AnyKind, random: Random): KubernetesObject {
  const { properties = {}, required = [] } = definitionOf(kind)?.schema ?? {};
  const { apiVersion: _version, kind: _kind, metadata: _metadata, ...sampled } = properties;
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const present = Object.entries(sampled).filter(([name]) => required.includes(name) || random.chance(0.7));
    const parsed = kind.schema?.safeParse(
      Object.fromEntries(present.map(([name, property]) => [name, sampleValue(property, random)])),
    );
    if (!parsed?.success) continue;
    const metadata = { name: 'sample', uid: 'uid-1', resourceVersion: '1', creationTimestamp: '2026-01-02T15:04:05Z' };
    const labels = random.chance(0.5) ? { labels: sampleTexts(random) } : {};
    const annotations = random.chance(0.5) ? { annotations: sampleTexts(random) } : {};
    const fields = toJson(parsed.data) as object;
    return {
      apiVersion: kind.apiVersion,
      kind: kind.kind,
      metadata: { ...metadata, ...labels, ...annotations },
      ...fields,
    };
  }
  throw new Error(
    `checkConversions: found no object of ${kind.apiVersion} ${kind.kind} in ${MAX_TRIES} tries: simplify its patterns, or add values that match its refinements with .meta({ examples })`,
  );
}

/** Returns labels or annotations that no converter knows. */
function sampleTexts(random: Random): Record<string, string> {
  const value = random.pick(['a', 'b']);
  return random.chance(0.5) ? { app: value } : { app: value, 'user.example.com/note': value };
}

function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
