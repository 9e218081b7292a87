/**
 * Compiles a JSON path of a printer column: `.status.conditions[?(@.type=="Ready")].status`. Fields, quoted fields,
 * indices, `[*]` and filters that compare a field with a text are supported.
 *
 * @returns a function that returns the values at the path. An unsupported path has none.
 */
export function compileJsonPath(path: string): (object: unknown) => unknown[] {
  const steps: Step[] = [];
  let rest = path.replace(/^\{(.*)\}$/s, '$1').replace(/^\$/, '');
  while (rest !== '') {
    const found = STEPS.find(([pattern]) => pattern.test(rest));
    const match = found?.[0].exec(rest);
    if (!found || !match) return () => [];
    steps.push(found[1](match));
    rest = rest.slice(match[0].length);
  }
  return (object) => steps.reduce<unknown[]>((values, step) => values.flatMap(step), [object]);
}

type Step = (value: unknown) => unknown[];

const STEPS: readonly (readonly [RegExp, (match: RegExpExecArray) => Step])[] = [
  [/^\[\*\]|^\.\*/, () => children],
  [
    /^\[(-?\d+)\]/,
    ([, index]) =>
      (value) =>
        Array.isArray(value) ? present(value.at(Number(index))) : [],
  ],
  [
    /^\[['"]([^'"]*)['"]\]/,
    ([, name = '']) =>
      (value) =>
        fieldOf(value, name),
  ],
  [
    /^\[\?\(\s*@\.([\w.\\-]+)\s*(==|!=)\s*(?:"([^"]*)"|'([^']*)'|(\w+))\s*\)\]/,
    ([, name = '', operator, double, single, bare]) => {
      const wanted = double ?? single ?? bare ?? '';
      const names = fieldNames(name);
      return (value) =>
        children(value).filter((item) => {
          const [found] = names.reduce<unknown[]>(
            (values, field) => values.flatMap((one) => fieldOf(one, field)),
            [item],
          );
          return (
            found !== undefined &&
            ((typeof found === 'string' ? found : JSON.stringify(found)) === wanted) === (operator === '==')
          );
        });
    },
  ],
  [
    /^\.?((?:\\.|[^.[\]\\])+)/,
    ([, name = '']) =>
      (value) =>
        fieldOf(value, name.replaceAll(/\\(.)/g, '$1')),
  ],
];

function fieldNames(path: string): string[] {
  return (path.match(/(?:\\.|[^.\\])+/g) ?? []).map((name) => name.replaceAll(/\\(.)/g, '$1'));
}

function present(value: unknown): unknown[] {
  return value === undefined ? [] : [value];
}

function fieldOf(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
  return present((value as Readonly<Record<string, unknown>>)[name]);
}

function children(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
