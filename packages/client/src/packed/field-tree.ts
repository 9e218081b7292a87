import { FieldName } from './field-cursor.ts';

/** Path of a field: its names as an array, or joined by dots. In a list, it applies to each element. */
export type FieldPath = string | readonly string[];

export function namesOf(path: FieldPath): readonly string[] {
  return typeof path === 'string' ? path.split('.') : path;
}

type Action = 'keep' | 'drop';

/** An action for each field of an object, or a tree for the fields below it. */
export class FieldTree {
  /** Action for fields without a rule. */
  readonly rest: Action;
  readonly #rules = new Map<string, Action | FieldTree>();
  /** The rules with prepared names. A tree has few rules, so comparing their bytes costs less than decoding each name. */
  #named: readonly (readonly [FieldName, Action | FieldTree])[] = [];

  constructor(rest: Action) {
    this.rest = rest;
  }

  /** Adds a rule. A rule for a whole field takes precedence over one with the same action below it, in any order. */
  add([name = '', ...below]: readonly string[], action: Action): void {
    const rule = this.rule(name);
    if (rule === action) return;
    const tree = rule instanceof FieldTree ? rule : new FieldTree(rule);
    if (below.length > 0) tree.add(below, action);
    this.#rules.set(name, below.length > 0 ? tree : action);
    this.#named = Array.from(this.#rules, ([each, its]) => [new FieldName(each), its]);
  }

  rule(name: string): Action | FieldTree {
    return this.#rules.get(name) ?? this.rest;
  }

  /** Returns the rule of a field in JSON text. */
  ruleOf(field: { is(name: FieldName): boolean }): Action | FieldTree {
    for (const [name, rule] of this.#named) if (field.is(name)) return rule;
    return this.rest;
  }

  /** Reports whether the whole field is dropped. */
  drops([name = '', ...below]: readonly string[]): boolean {
    const rule = this.rule(name);
    if (!(rule instanceof FieldTree)) return rule === 'drop';
    return below.length > 0 && rule.drops(below);
  }

  /** Returns a copy of a decoded value without the dropped fields. (Deleting fields would use more memory than it frees.) */
  applyTo(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((element) => this.applyTo(element));
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).flatMap(([name, field]) => {
      const rule = this.rule(name);
      if (rule === 'drop') return [];
      return [[name, rule === 'keep' ? field : rule.applyTo(field)] as const];
    });
    return Object.fromEntries(kept);
  }
}
