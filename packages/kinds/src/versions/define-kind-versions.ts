import { isDeepStrictEqual } from 'node:util';
import type { ObjectOf } from '@mcr/client';
import { checkKind, kindText, parseOptions } from '@mcr/client';
import * as z from 'zod';
import { type KindDefinition, definitionOf } from '../kind/kind-definition.ts';
import { type AnyConverters, type AnyKind, type Converters, KindVersions } from './kind-versions.ts';

/** The version in an `apiVersion`. */
export type VersionOf<ApiVersion extends string> = ApiVersion extends `${string}/${infer Version}`
  ? Version
  : ApiVersion;

/** Options of {@link defineKindVersions}. */
export interface KindVersionsOptions<Storage extends AnyKind, Served extends readonly AnyKind[]> {
  /** The version that the server stores. */
  readonly storage: Storage;
  /** The other versions that the server serves. */
  readonly served: Served;
  /** Converters of each served version, by its name, such as `v1`. */
  readonly convert: {
    // The key has no "as" clause, because the compiler infers no parameters of functions through one.
    readonly [V in VersionOf<Served[number]['apiVersion']>]: Converters<
      ObjectOf<Storage>,
      ObjectOf<Extract<Served[number], { readonly apiVersion: `${string}/${V}` }>>
    >;
  };
}

const kind = z.custom<AnyKind>(
  (value) => typeof value === 'object' && value !== null,
  'expected a Kind from defineKind',
);
const converter = z.custom<AnyConverters['up']>((value) => typeof value === 'function', 'expected a function');

const schema = z.strictObject({
  storage: kind,
  served: z.array(kind).min(1, 'expected a version beside the stored one').max(20),
  convert: z.record(z.string(), z.strictObject({ up: converter, down: converter })),
} satisfies Record<keyof KindVersionsOptions<AnyKind, AnyKind[]>, z.ZodType>);

/**
 * Defines a kind of several versions. Write the converters so that no version loses what another one has, for example with
 * annotations, and check them with `checkConversions` of `@mcr/kinds/testing`.
 *
 * @throws {TypeError} that names the version, if it has no converters, or differs from the others in its names or scope.
 */
export function defineKindVersions<const Storage extends AnyKind, const Served extends readonly AnyKind[]>(
  options: KindVersionsOptions<Storage, Served>,
): KindVersions<Storage> {
  const parsed = parseOptions('defineKindVersions', schema, options);
  const { storage, served } = options;
  const definition = requiredDefinition(storage);
  const definitions: [KindDefinition, ...KindDefinition[]] = [definition];
  const converters = new Map<string, AnyConverters>();
  for (const each of served) {
    const other = requiredDefinition(each);
    if (definitions.some(({ version }) => version === other.version)) refuse(each, 'is given twice', 'remove one');
    checkSame(each, definition, other);
    const found = Object.hasOwn(parsed.convert, other.version) ? parsed.convert[other.version] : undefined;
    if (!found) refuse(each, `has no converters`, `add convert.${other.version} with up and down`);
    definitions.push(other);
    converters.set(each.apiVersion, found);
  }
  const unknown = Object.keys(parsed.convert).find((version) => !converters.has(`${definition.group}/${version}`));
  if (unknown !== undefined) refuse(storage, `has no served version ${unknown} to convert`, 'add it to served');
  return new KindVersions(storage, served, definitions, converters);
}

function requiredDefinition(each: AnyKind): KindDefinition {
  checkKind('defineKindVersions', each);
  return definitionOf(each) ?? refuse(each, 'has no schema', 'define it with defineKind of @mcr/kinds');
}

function checkSame(each: AnyKind, stored: KindDefinition, other: KindDefinition): void {
  const partsOf = ({ group, scope, names, approval }: KindDefinition) => ({ group, scope, ...names, approval });
  const [expected, found] = [partsOf(stored), partsOf(other)];
  for (const field of Object.keys(expected) as (keyof typeof expected)[]) {
    if (isDeepStrictEqual(expected[field], found[field])) continue;
    const values = `expected ${shown(expected[field])}, found ${shown(found[field])}`;
    refuse(each, `differs from the stored version in ${field}`, `${values}: use the same in every version`);
  }
}

function shown(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}

function refuse(each: AnyKind, problem: string, remedy: string): never {
  throw new TypeError(`defineKindVersions: ${kindText(each)} ${problem}: ${remedy}`);
}
