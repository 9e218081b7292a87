import type { StructuralSchema } from '@mcr/kinds';
import {
  type Field,
  interfaceBody,
  MAX_INLINE_UNION,
  omitted,
  printUnion,
  unionOf,
  type ValueTypes,
} from '../text/interface-text.ts';
import { docComment } from '../text/literal.ts';
import { flatTerm, printTerm } from '../text/print-term.ts';
import { coreOf, coreTerm, isInherited, itemTerm, MAX_LEVELS, placedTerm, rawTerm } from '../terms/schema-terms.ts';
import { reference, type Term, terms } from '../terms/term.ts';
import { isCondition } from './condition-type.ts';
import type { Place, Places } from './places.ts';
import type { TypeNames } from './type-names.ts';

interface Declared extends ValueTypes {
  readonly term: Term;
}

/** A schema at its place. */
export interface Placed extends Declared {
  /** Whether the field is always there when it is read, because it has a default. */
  readonly hasDefault: boolean;
}

interface InterfaceText {
  /** The type that the interface extends. Default: none. */
  readonly base?: string;
  readonly body: string;
  readonly description: string | undefined;
}

/** Length from which a schema that occurs twice becomes a constant. */
const MIN_SHARED_LENGTH = 60;

/** Writes the interfaces and constants of a module. Equal schemas share them. */
export class Declarations {
  readonly #names: TypeNames;
  readonly #places: Places;
  readonly #types: string[] = [];
  readonly #constants: string[] = [];
  readonly #declared = new Map<string, Declared>();
  /** Names of interfaces by their text. */
  readonly #interfaces = new Map<string, string>();

  constructor(names: TypeNames, places: Places) {
    this.#names = names;
    this.#places = places;
  }

  /** The declarations, in an order in which constants come before their uses. */
  get lines(): readonly string[] {
    return [...this.#types, ...this.#constants];
  }

  /** Declares what a schema of the module needs. */
  place(node: StructuralSchema, level = 0): Placed {
    const { term: core, read, written } = this.#declare(node, level);
    const { term, hasDefault } = placedTerm(core, node);
    return { term, hasDefault, read, written };
  }

  #item(node: StructuralSchema, level: number): Declared {
    const declared = this.#declare(node, level);
    return { ...declared, term: itemTerm(declared.term, node) };
  }

  #declare(node: StructuralSchema, level: number): Declared {
    const core = coreOf(node);
    const key = JSON.stringify(core);
    const known = this.#declared.get(key);
    if (known) return known;
    const place = this.#places.of(core);
    const declared = level > MAX_LEVELS ? rawDeclared(core) : this.#declareNew(core, place, level, node.description);
    const flat = flatTerm(declared.term);
    const isShared = place.uses > 1 && (flat === undefined || flat.length >= MIN_SHARED_LENGTH);
    const isConstant = declared.term.reference === undefined && (flat === undefined || isShared);
    const result = isConstant ? { ...declared, term: this.#constant(declared.term, place.name) } : declared;
    this.#declared.set(key, result);
    return result;
  }

  #constant(term: Term, type: string): Term {
    const constant = this.#names.schema(type);
    const lead = `const ${constant}: z.ZodType = `;
    this.#constants.push(`${lead}${printTerm(term, 0, lead.length + 1)};`);
    return reference(constant, term);
  }

  #declareNew(core: StructuralSchema, place: Place, level: number, description: string | undefined): Declared {
    const { properties, items, additionalProperties } = core;
    const item = items && this.#item(items, level + 1);
    const value = additionalProperties && this.#item(additionalProperties, level + 1);
    if (!properties) {
      const plain = coreTerm(core, { fields: [], items: item?.term, values: value?.term });
      const types = isRaw(plain) ? same('unknown') : this.#plainTypes(core, place, item ?? value);
      return withNull({ term: plain, ...types }, core);
    }
    const required = new Set(core.required);
    const fields = Object.entries(properties).map(([field, schema]) => {
      const placed = this.place(schema, level + 1);
      // The compiler reads the type of the inherited field in objects that lack it.
      const types = isInherited(field) && same('unknown');
      return { field, schema, isRequired: required.has(field), ...placed, ...types };
    });
    const term = coreTerm(core, {
      fields: fields.map(({ field, term: each, isRequired, hasDefault }) => [
        field,
        isRequired || hasDefault ? each : terms.optional(each),
      ]),
      items: undefined,
      values: undefined,
    });
    if (isRaw(term)) return { term, ...same('unknown') };
    const types = isCondition(core) ? same('k8s.Condition') : this.#objectTypes(core, place, fields, description);
    return withNull({ term, ...types }, core);
  }

  #objectTypes(
    core: StructuralSchema,
    { name, otherNames }: Place,
    fields: readonly Field[],
    description: string | undefined,
  ): ValueTypes {
    const isOpen = core['x-kubernetes-preserve-unknown-fields'] === true;
    const body = interfaceBody(fields, {
      isOpen,
      isPresent: ({ isRequired, hasDefault }) => isRequired || hasDefault,
      textOf: (field) => field.read,
    });
    const read = this.#interface(name, otherNames, { body, description });
    const changed = fields.filter((field) => field.hasDefault || field.read !== field.written);
    if (changed.length === 0) return same(read);
    const written = this.#names.type(`${name}Input`);
    // `Omit` of a type with other fields has no known fields.
    const isWhole = isOpen || changed.length === fields.length;
    const lead = `export interface ${written} extends `;
    const input = {
      ...(!isWhole && { base: omitted(read, changed, lead.length + 2) }),
      ...{ description: `${read} in a write: fields with defaults may be missing.` },
      body: interfaceBody(isWhole ? fields : changed, {
        isOpen,
        isPresent: ({ isRequired, hasDefault }) => isRequired && !hasDefault,
        textOf: (field) => field.written,
      }),
    };
    const others = otherNames.map((other) => this.#names.type(`${other}Input`));
    return { read, written: this.#interface(written, others, input) };
  }

  /** Declares an interface, unless there is an equal one. @returns its name. */
  #interface(name: string, otherNames: readonly string[], { body, base, description }: InterfaceText): string {
    const key = `${base} ${body}`;
    const known = this.#interfaces.get(key) ?? name;
    this.#interfaces.set(key, known);
    if (known === name) {
      const heritage = base === undefined ? '' : `extends ${base} `;
      this.#types.push([...docComment(description), `export interface ${name} ${heritage}${body}`].join('\n'));
    }
    for (const other of [name, ...otherNames].filter((each) => each !== known)) this.#alias(other, known);
    return known;
  }

  #alias(name: string, type: string): void {
    const lead = `export type ${name} =`;
    this.#types.push(`${lead}${printUnion(type, 0, lead.length)};`);
  }

  #plainTypes(core: StructuralSchema, place: Place, inner: ValueTypes | undefined): ValueTypes {
    if (core['x-kubernetes-int-or-string']) return same('number | string');
    switch (core.type) {
      case 'string':
        return same(this.#enumType(core.enum, place) ?? 'string');
      case 'integer':
      case 'number':
        return same(this.#enumType(core.enum, place) ?? 'number');
      case 'boolean':
        return same('boolean');
      case 'array':
        return inner ? mapTypes(inner, (text) => (isUnion(text) ? `(${text})[]` : `${text}[]`)) : same('unknown[]');
      case 'object':
        if (inner) return mapTypes(inner, (text) => `Record<string, ${text}>`);
        return same(`Record<string, ${core['x-kubernetes-preserve-unknown-fields'] ? 'unknown' : 'never'}>`);
      default:
        return same('unknown');
    }
  }

  /** Returns the union of the values, or the name of a type for a long one; `undefined` if there is no value. */
  #enumType(values: readonly unknown[] | undefined, { name, otherNames }: Place): string | undefined {
    const union = unionOf(values);
    if (union === '') return undefined;
    if (union.length <= MAX_INLINE_UNION) return union;
    this.#alias(name, union);
    for (const other of otherNames) this.#alias(other, name);
    return name;
  }
}

/** A union in angle brackets is not one outside of them. */
function isUnion(type: string): boolean {
  return type.includes(' | ') && !type.endsWith('>');
}

function rawDeclared(core: StructuralSchema): Declared {
  return { term: rawTerm(core), read: 'unknown', written: 'unknown' };
}

function isRaw({ calls }: Term): boolean {
  const [head] = calls;
  const [first] = head?.name === 'k8s.onServer' ? head.args : [];
  return first?.type === 'term' && first.term.calls[0]?.name === 'k8s.raw';
}

function same(text: string): ValueTypes {
  return { read: text, written: text };
}

function mapTypes({ read, written }: ValueTypes, map: (text: string) => string): ValueTypes {
  return { read: map(read), written: map(written) };
}

function withNull<Each extends ValueTypes>(declared: Each, { nullable }: StructuralSchema): Each {
  if (!nullable || declared.read === 'unknown') return declared;
  return { ...declared, ...mapTypes(declared, (text) => `${text} | null`) };
}
