import type { StructuralSchema } from '@mcr/kinds';
import { interfaceText, printUnion, type ValueTypes } from '../text/interface-text.ts';
import { stringLiteral } from '../text/literal.ts';
import type { ModuleNames } from './module-names.ts';
import { flatTerm, printTerm } from '../text/print-term.ts';
import {
  coreOf,
  coreTerm,
  type InnerTerms,
  isInherited,
  itemTerm,
  MAX_LEVELS,
  placedTerm,
  rawTerm,
} from '../terms/schema-terms.ts';
import { reference, type Term } from '../terms/term.ts';

interface Declared extends ValueTypes {
  readonly term: Term;
}

/** A schema at its place. */
export interface Placed extends Declared {
  /** Whether the field is always there when it is read, because it has a default. */
  readonly hasDefault: boolean;
}

/** Length from which a schema that occurs twice becomes a constant, and values of an enum become a type. */
const MIN_SHARED_LENGTH = 60;
const MAX_INLINE_ENUM = 60;

/** Writes the interfaces and constants of a module. Equal schemas share them. */
export class Declarations {
  readonly #names: ModuleNames;
  readonly #types: string[] = [];
  readonly #constants: string[] = [];
  readonly #declared = new Map<string, Declared>();
  readonly #uses = new Map<string, number>();

  /** @param roots schemas that the module has, to find those that occur more than once. */
  constructor(names: ModuleNames, roots: readonly StructuralSchema[]) {
    this.#names = names;
    for (const root of roots) this.#count(root);
  }

  /** The declarations, in an order in which constants come before their uses. */
  get lines(): readonly string[] {
    return [...this.#types, ...this.#constants];
  }

  /**
   * Declares what a schema needs.
   *
   * @param name parts of the name of its type.
   */
  place(node: StructuralSchema, name: readonly string[], level = 0): Placed {
    const { term: core, read, written } = this.#declare(node, name, level);
    const { term, hasDefault } = placedTerm(core, node);
    return { term, hasDefault, read, written };
  }

  #item(node: StructuralSchema, name: readonly string[], level: number): Declared {
    const declared = this.#declare(node, name, level);
    return { ...declared, term: itemTerm(declared.term, node) };
  }

  #declare(node: StructuralSchema, name: readonly string[], level: number): Declared {
    const core = coreOf(node);
    const key = JSON.stringify(core);
    const known = this.#declared.get(key);
    if (known) return known;
    const declared = level > MAX_LEVELS ? rawDeclared(core) : this.#declareNew(core, name, level, node.description);
    const flat = flatTerm(declared.term);
    const isShared = (this.#uses.get(key) ?? 0) > 1 && (flat === undefined || flat.length >= MIN_SHARED_LENGTH);
    const isConstant = declared.term.reference === undefined && (flat === undefined || isShared);
    const result = isConstant ? { ...declared, term: this.#constant(declared, name) } : declared;
    this.#declared.set(key, result);
    return result;
  }

  #constant({ term, read }: Declared, name: readonly string[]): Term {
    const constant = /^[A-Z]\w*$/.test(read) ? this.#names.schema(read) : this.#names.schema(...name);
    const lead = `const ${constant}: z.ZodType = `;
    this.#constants.push(`${lead}${printTerm(term, 0, lead.length + 1)};`);
    return reference(constant, term);
  }

  #declareNew(
    core: StructuralSchema,
    name: readonly string[],
    level: number,
    description: string | undefined,
  ): Declared {
    const { properties, items, additionalProperties } = core;
    const item = items && this.#item(items, [...name, 'item'], level + 1);
    const value = additionalProperties && this.#item(additionalProperties, [...name, 'value'], level + 1);
    if (!properties) {
      const inner: InnerTerms = { fields: [], items: item?.term, values: value?.term };
      const plain = coreTerm(core, inner);
      const types = isRaw(plain) ? same('unknown') : this.#plainTypes(core, name, item ?? value);
      return withNull({ term: plain, ...types }, core);
    }
    const type = this.#names.type(...name);
    const required = new Set(core.required);
    const fields = Object.entries(properties).map(([field, schema]) => {
      const placed = this.place(schema, [...name, field], level + 1);
      // The compiler reads the type of the inherited field in objects that lack it.
      const types = isInherited(field) && same('unknown');
      return { field, schema, isRequired: required.has(field), ...placed, ...types };
    });
    const term = coreTerm(core, {
      fields: fields.map(({ field, term: each, isRequired, hasDefault }) => [
        field,
        isRequired || hasDefault ? each : optional(each),
      ]),
      items: undefined,
      values: undefined,
    });
    const isOpen = core['x-kubernetes-preserve-unknown-fields'] === true;
    if (isRaw(term)) return { term, read: 'unknown', written: 'unknown' };
    const differs = fields.some(({ hasDefault, read, written }) => hasDefault || read !== written);
    const input = differs ? this.#names.type(...name, 'Input') : type;
    this.#types.push(
      interfaceText(type, fields, {
        isOpen,
        description,
        isPresent: ({ isRequired, hasDefault }) => isRequired || hasDefault,
        textOf: ({ read }) => read,
      }),
    );
    if (differs) {
      this.#types.push(
        interfaceText(input, fields, {
          ...{ isOpen, description: `${type} as it is written: fields with defaults may be missing.` },
          ...{ isPresent: ({ isRequired, hasDefault }) => isRequired && !hasDefault, textOf: ({ written }) => written },
        }),
      );
    }
    return withNull({ term, read: type, written: input }, core);
  }

  #plainTypes(core: StructuralSchema, name: readonly string[], inner: ValueTypes | undefined): ValueTypes {
    if (core['x-kubernetes-int-or-string']) return same('number | string');
    switch (core.type) {
      case 'string':
        return same(this.#enumType(core.enum, name) ?? 'string');
      case 'integer':
      case 'number':
        return same(this.#enumType(core.enum, name) ?? 'number');
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

  /** Returns the union of the values, or the name of a type for a long one. */
  #enumType(values: readonly unknown[] | undefined, name: readonly string[]): string | undefined {
    const texts = values
      ?.filter((each) => each !== null)
      .map((each) => {
        return typeof each === 'string' ? stringLiteral(each) : JSON.stringify(each);
      });
    if (texts === undefined || texts.length === 0) return undefined;
    const union = texts.join(' | ');
    if (union.length <= MAX_INLINE_ENUM) return union;
    const type = this.#names.type(...name);
    this.#types.push(`export type ${type} =${printUnion(union, 0, `export type ${type} =`.length)};`);
    return type;
  }

  #count(node: StructuralSchema): void {
    const key = JSON.stringify(coreOf(node));
    const uses = (this.#uses.get(key) ?? 0) + 1;
    this.#uses.set(key, uses);
    // The inner schemas of the second use are written once.
    if (uses > 1) return;
    for (const each of Object.values(node.properties ?? {})) this.#count(each);
    for (const each of [node.items, node.additionalProperties]) if (each) this.#count(each);
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

function optional(term: Term): Term {
  return { ...term, schema: term.schema.optional(), calls: [...term.calls, { name: '.optional', args: [] }] };
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
