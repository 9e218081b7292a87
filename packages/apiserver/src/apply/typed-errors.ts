import type { Atom, ListAtom, MapAtom, Scalar } from './atom.ts';
import { formOf, isList, isMap, typeOfField } from './atom.ts';
import { plainText, syntaxText, typeText } from './go-format.ts';
import { elementText, fieldElement, itemElement, UnidentifiedItem } from './path-element.ts';

/**
 * Returns the first reasons why a configuration does not match its type, each with its path: undeclared fields, values
 * of another type, and list items without an identity of their own. Messages and order follow `typed.AsTyped` of
 * structured-merge-diff.
 */
export function typedErrors(atom: Atom, value: unknown): string[] {
  return errorsOf(atom, value).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
}

/** Returns errors as one text, as a real server joins them. */
export function joinErrors(errors: readonly string[]): string {
  return errors.length === 1 ? (errors[0] ?? '') : ['errors:', ...errors.map((error) => `  ${error}`)].join('\n');
}

interface TypeError {
  readonly path: string;
  readonly message: string;
}

function errorsOf(atom: Atom, value: unknown): TypeError[] {
  const { map, scalar, list } = formOf(atom, value);
  if (map) return mapErrors(map, value);
  if (scalar) return scalarErrors(scalar, value);
  return list ? listErrors(list, value) : [];
}

const error = (message: string): TypeError[] => [{ path: '', message }];

function below(element: string, errors: readonly TypeError[]): TypeError[] {
  if (errors.length === 0) return [];
  const prefix = elementText(element);
  return errors.map(({ path, message }) => ({ path: prefix + path, message }));
}

function scalarErrors(scalar: Scalar, value: unknown): TypeError[] {
  if (value === null) return [];
  switch (scalar) {
    case 'numeric':
      return typeof value === 'number' ? [] : error(`expected numeric (int or float), got ${typeText(value)}`);
    case 'string':
      return typeof value === 'string'
        ? []
        : error(`expected string, got &value.valueUnstructured{Value:${syntaxText(value)}}`);
    case 'boolean':
      return typeof value === 'boolean' ? [] : error(`expected boolean, got &{${plainText(value)}}`);
    case 'untyped':
      return isMap(value) || isList(value) ? error(`expected any scalar, got &{${plainText(value)}}`) : [];
  }
}

function mapErrors(map: MapAtom, value: unknown): TypeError[] {
  if (value === null) return [];
  if (!isMap(value)) return error(`expected map, got &{${plainText(value)}}`);
  const errors: TypeError[] = [];
  for (const [name, child] of Object.entries(value)) {
    const type = typeOfField(map, name);
    const element = fieldElement(name);
    // Fields after the first undeclared one are not examined.
    if (!type) return [...errors, ...below(element, error('field not declared in schema'))];
    errors.push(...below(element, errorsOf(type, child)));
  }
  return errors;
}

function listErrors(list: ListAtom, value: unknown): TypeError[] {
  if (value === null) return [];
  if (!isList(value)) return error(`expected list, got &{${plainText(value)}}`);
  const errors: TypeError[] = [];
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    let element = `i:${index}`;
    if (list.relation !== 'atomic') {
      try {
        element = itemElement(list, item);
      } catch (reason) {
        if (!(reason instanceof UnidentifiedItem)) throw reason;
        return [...errors, ...error(`element ${index}: ${reason.message}`)];
      }
      if (seen.has(element)) errors.push(...error(`duplicate entries for key ${elementText(element)}`));
      seen.add(element);
    }
    errors.push(...below(element, errorsOf(list.items, item)));
  }
  return errors;
}
