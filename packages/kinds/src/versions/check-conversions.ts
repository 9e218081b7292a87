import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '@mcr/client';
import { parseOptions } from '@mcr/client';
import * as z from 'zod';
import { definitionOf } from '../kind/kind-definition.ts';
import { Random } from '../sampling/random.ts';
import { sampleValue } from '../sampling/sample-value.ts';
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

/**
 * Checks the converters of a kind with random objects of its schemas: a conversion to the stored version and back, and from it
 * and back, must return an equal object, and every result must match the schema of its version. Fields with
 * `.meta({ examples })` get these values, others random ones.
 *
 * @returns the number of objects that were checked.
 * @throws {Error} with the object and the seed, for the first object that a conversion changes or makes invalid.
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
  const shown = `object ${JSON.stringify(object)} (seed ${seed})`;
  const converted = versions.convert(object, to.apiVersion);
  const parsed = to.schema?.safeParse(converted);
  if (parsed && !parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new Error(
      `${subject}: the result does not match the schema (${problems.join('; ')}): correct the converter: ${shown}`,
    );
  }
  const back = versions.convert(converted, from.apiVersion);
  if (isDeepStrictEqual(toJson(back), toJson(object))) return;
  throw new Error(
    `${subject} and back: the object changed: keep what the other version lacks, for example in an annotation: ${shown} ` +
      `became ${JSON.stringify(back)}`,
  );
}

function sampleObject(kind: AnyKind, random: Random): KubernetesObject {
  const { spec, status } = definitionOf(kind)?.schema.properties ?? {};
  for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
    const parsed = kind.schema?.safeParse({
      ...(spec && { spec: sampleValue(spec, random) }),
      ...(status && random.chance(0.5) && { status: sampleValue(status, random) }),
    });
    if (!parsed?.success) continue;
    const metadata = { name: 'sample', uid: 'uid-1', resourceVersion: '1', creationTimestamp: '2026-01-02T15:04:05Z' };
    const labels = random.chance(0.5) ? { labels: { app: random.pick(['a', 'b']) } } : {};
    const fields = toJson(parsed.data) as object;
    return { apiVersion: kind.apiVersion, kind: kind.kind, metadata: { ...metadata, ...labels }, ...fields };
  }
  throw new Error(
    `checkConversions: found no object of ${kind.apiVersion} ${kind.kind} in ${MAX_TRIES} tries: simplify its patterns, or add values that match its refinements with .meta({ examples })`,
  );
}

function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
