import type { Paused, Turn } from '../turn.ts';
import type { Atom, ListAtom, MapAtom, Scalar } from './atom.ts';
import { formOf, isList, isMap, typeOfField } from './atom.ts';
import { plainText, syntaxText, typeText } from './go-format.ts';
import { elementText, fieldElement, itemElement, UnidentifiedItem } from './path-element.ts';

/**
 * Returns the first reasons why a configuration does not match its type, each with its path: undeclared fields, values
 * of another type, and list items without an identity of their own. Messages and order follow `typed.AsTyped` of
 * structured-merge-diff.
 */
export function* typedErrors(atom: Atom, value: unknown, turn: Turn): Paused<string[]> {
  const errors: string[] = [];
  yield* addErrors({ atom, path: undefined }, value, errors, turn);
  return errors;
}

/** Returns errors as one text, as a real server joins them. */
export function joinErrors(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] ?? '') : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');
}

/** A part of a configuration. Its path is a text only once an error needs it. */
interface Place {
  readonly atom: Atom;
  readonly path: Path | undefined;
}

interface Path {
  readonly parent: Path | undefined;
  readonly element: string;
}

function textOf(path: Path | undefined): string {
  const elements: string[] = [];
  for (let part = path; part; part = part.parent) elements.push(elementText(part.element));
  return elements.reverse().join('');
}

function error(path: Path | undefined, message: string): string {
  const text = textOf(path);
  return text === '' ? message : `${text}: ${message}`;
}

function* addErrors({ atom, path }: Place, value: unknown, errors: string[], turn: Turn): Paused<void> {
  const { map, scalar, list } = formOf(atom, value);
  if (map) yield* addMapErrors(map, path, value, errors, turn);
  else if (scalar) {
    const fault = scalarFault(scalar, value);
    if (fault !== undefined) errors.push(error(path, fault));
  } else if (list) yield* addListErrors(list, path, value, errors, turn);
}

function scalarFault(scalar: Scalar, value: unknown): string | undefined {
  if (value === null) return undefined;
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${typeText(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${syntaxText(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got &{${plainText(value)}}`;
    case 'untyped':
      return isMap(value) || isList(value) ? `expected any scalar, got &{${plainText(value)}}` : undefined;
  }
}

function* addMapErrors(
  map: MapAtom,
  path: Path | undefined,
  value: unknown,
  errors: string[],
  turn: Turn,
): Paused<void> {
  if (value === null) return;
  if (!isMap(value)) {
    errors.push(error(path, `expected map, got &{${plainText(value)}}`));
    return;
  }
  for (const name of Object.keys(value)) {
    if (turn.step()) yield* turn.pause();
    const atom = typeOfField(map, name);
    const at = { parent: path, element: fieldElement(name) };
    // Fields after the first undeclared one are not examined.
    if (!atom) {
      errors.push(error(at, 'field not declared in schema'));
      return;
    }
    yield* addErrors({ atom, path: at }, value[name], errors, turn);
  }
}

function* addListErrors(
  list: ListAtom,
  path: Path | undefined,
  value: unknown,
  errors: string[],
  turn: Turn,
): Paused<void> {
  if (value === null) return;
  if (!isList(value)) {
    errors.push(error(path, `expected list, got &{${plainText(value)}}`));
    return;
  }
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    if (turn.step()) yield* turn.pause();
    let element = `i:${index}`;
    if (list.relation !== 'atomic') {
      try {
        element = itemElement(list, item);
      } catch (reason) {
        if (!(reason instanceof UnidentifiedItem)) throw reason;
        errors.push(error(path, `element ${index}: ${reason.message}`));
        return;
      }
      if (seen.has(element)) errors.push(error(path, `duplicate entries for key ${elementText(element)}`));
      seen.add(element);
    }
    yield* addErrors({ atom: list.items, path: { parent: path, element } }, item, errors, turn);
  }
}
