import { parse } from '@babel/parser';

type Statement = ReturnType<typeof parse>['program']['body'][number];
type Declaration = Extract<Statement, { type: 'VariableDeclaration' }>['declarations'][number];
/** An expression, or another node in the place of one. */
export type Expression = NonNullable<Declaration['init']>;
export type ObjectNode = Extract<Expression, { type: 'ObjectExpression' }>;
export type FunctionNode = Extract<
  Statement | Expression,
  { type: 'FunctionDeclaration' | 'FunctionExpression' | 'ArrowFunctionExpression' }
>;

/** Thrown if a module is not written as an edit expects. The message says what was expected. */
export class UnexpectedCodeError extends Error {
  override readonly name = 'UnexpectedCodeError';
}

/** Width of a line in the projects, in characters. */
const WIDTH = 120;

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A TypeScript module whose text is changed in a few places. All other characters are kept. */
export class ModuleText {
  readonly text: string;
  readonly #body: readonly Statement[];
  readonly #replacements: Replacement[] = [];

  /** @throws {UnexpectedCodeError} if the text is not valid TypeScript. */
  constructor(text: string) {
    this.text = text;
    try {
      this.#body = parse(text, { sourceType: 'module', plugins: ['typescript'] }).program.body;
    } catch (error) {
      throw new UnexpectedCodeError(`not valid TypeScript: ${(error as Error).message}`);
    }
  }

  /** Returns the text with all changes, with the line endings that it had. */
  toString(): string {
    const ending = this.text.includes('\r\n') ? '\r\n' : '\n';
    let result = this.text;
    for (const { start, end, text } of this.#replacements.toSorted((a, b) => b.start - a.start))
      result = result.slice(0, start) + text.replaceAll('\n', ending) + result.slice(end);
    return result;
  }

  replace(start: number, end: number, text: string): void {
    this.#replacements.push({ start, end, text });
  }

  /** Whether the module imports a name from a module, and uses it. */
  uses(name: string, from: string): boolean {
    return this.#imports(name, from) && this.text.split(new RegExp(String.raw`\b${name}\b`, 'u')).length > 2;
  }

  /** Imports a name, unless the module does. @throws {UnexpectedCodeError} if the name has another meaning. */
  addImport(name: string, from: string): void {
    if (this.#imports(name, from)) return;
    if (new RegExp(String.raw`\b${name}\b`, 'u').test(this.text))
      throw new UnexpectedCodeError(`the name ${name} has another meaning already`);
    const last = this.#body.findLast((statement) => statement.type === 'ImportDeclaration');
    const quote = last && this.text[last.source.start ?? 0] === '"' ? '"' : "'";
    const text = `import { ${name} } from ${quote}${from}${quote};`;
    if (last) this.insertLine(last.end ?? 0, text);
    else this.replace(this.#body[0]?.start ?? 0, this.#body[0]?.start ?? 0, `${text}\n\n`);
  }

  #imports(name: string, from: string): boolean {
    return this.#body.some(
      (statement) =>
        statement.type === 'ImportDeclaration' &&
        statement.source.value === from &&
        statement.specifiers.some(({ local }) => local.name === name),
    );
  }

  /** Names that the module imports from other files of the project, by the path of the file. */
  imports(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const statement of this.#body) {
      if (statement.type !== 'ImportDeclaration') continue;
      for (const { local } of statement.specifiers) found.set(local.name, statement.source.value);
    }
    return found;
  }

  /** Inserts a line after the one in which a node ends. */
  insertLine(end: number, line: string): void {
    const lineEnd = this.text.slice(end).search(/\r?\n|$/u) + end;
    const isComment = /^\s*(?:\/\/.*|\/\*.*\*\/\s*)?$/u.test(this.text.slice(end, lineEnd));
    const at = isComment ? lineEnd : end;
    this.replace(at, at, `\n${line}`);
  }

  /** Adds an identifier to the array of a constant. @throws {UnexpectedCodeError} if there is none. */
  appendToArray(constant: string, element: string): void {
    const array = this.#constant(constant);
    if (array?.type !== 'ArrayExpression')
      throw new UnexpectedCodeError(`expected a constant such as "export const ${constant} = [];"`);
    const { start, end } = range(array);
    const last = array.elements.at(-1);
    if (!last) {
      this.replace(end - 1, end - 1, element);
      return;
    }
    if (this.#isOnOwnLine(last)) {
      this.replace(range(last).end, range(last).end, `,\n${this.indent(last)}${element}`);
      return;
    }
    const elements = [...array.elements.map((each) => (each ? this.source(each) : '')), element];
    const line = this.#lineAt(end);
    if (line.length + element.length + 2 <= WIDTH) this.replace(range(last).end, range(last).end, `, ${element}`);
    else {
      const indent = /^\s*/u.exec(line)?.[0] ?? '';
      this.replace(start, end, `[\n${elements.map((each) => `${indent}  ${each},\n`).join('')}${indent}]`);
    }
  }

  /** Adds a property to an object literal, after the property `after` if it exists, else as the last one. */
  addProperty(object: ObjectNode, text: string, after?: string): void {
    const previous = propertyOf(object, after) ?? object.properties.at(-1);
    const { start, end } = range(object);
    if (!previous) {
      const indent = /^\s*/u.exec(this.#lineAt(start))?.[0] ?? '';
      this.replace(start, end, `{\n${indent}  ${text.replaceAll('\n', `\n${indent}  `)},\n${indent}}`);
      return;
    }
    const isOnOwnLine = this.#isOnOwnLine(previous);
    const separator = isOnOwnLine ? `\n${this.indent(previous)}` : ' ';
    this.replace(range(previous).end, range(previous).end, `,${separator}${text}`);
  }

  /** Returns the object that the module exports as its default. @throws {UnexpectedCodeError} if there is none. */
  defaultObject(): ObjectNode {
    const exported = this.#body.find((statement) => statement.type === 'ExportDefaultDeclaration')?.declaration;
    const value = exported?.type === 'Identifier' ? this.#constant(exported.name) : exported && withoutType(exported);
    if (value?.type === 'ObjectExpression') return value;
    throw new UnexpectedCodeError('expected "export default { ... }"');
  }

  /** Returns a function of the module. @throws {UnexpectedCodeError} if there is none. */
  functionNamed(name: string): FunctionNode {
    const declared = this.#declarations().find((each) => each.type === 'FunctionDeclaration' && each.id?.name === name);
    const found = declared ?? this.#constant(name);
    switch (found?.type) {
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
        return found;
      default:
        throw new UnexpectedCodeError(`expected a function ${name}`);
    }
  }

  /** Returns the value of a constant, without its type. */
  #constant(name: string): Expression | undefined {
    for (const declaration of this.#declarations()) {
      if (declaration.type !== 'VariableDeclaration') continue;
      const found = declaration.declarations.find(({ id }) => id.type === 'Identifier' && id.name === name);
      if (found?.init) return withoutType(found.init);
    }
    return undefined;
  }

  #declarations(): Statement[] {
    return this.#body.map((statement) =>
      statement.type === 'ExportNamedDeclaration' && statement.declaration ? statement.declaration : statement,
    );
  }

  source(node: object): string {
    const { start, end } = range(node);
    return this.text.slice(start, end);
  }

  /** The white space before a node in its line. */
  indent(node: object): string {
    return /[ \t]*$/u.exec(this.text.slice(0, range(node).start))?.[0] ?? '';
  }

  /** Whether a node is the first one in its line. */
  #isOnOwnLine(node: object): boolean {
    return /(?:^|\n)[ \t]*$/u.test(this.text.slice(0, range(node).start));
  }

  #lineAt(position: number): string {
    const start = this.text.lastIndexOf('\n', position - 1) + 1;
    return /^[^\r\n]*/u.exec(this.text.slice(start))?.[0] ?? '';
  }
}

/** Returns the offsets of a node. */
export function range(node: object): { readonly start: number; readonly end: number } {
  const { start, end } = node as { readonly start?: number | null; readonly end?: number | null };
  return { start: start ?? 0, end: end ?? 0 };
}

/** Returns a property of an object literal. */
export function propertyOf(object: ObjectNode, name: string | undefined) {
  return object.properties.find(
    (property) =>
      property.type !== 'SpreadElement' &&
      ((property.key.type === 'Identifier' && property.key.name === name) ||
        (property.key.type === 'StringLiteral' && property.key.value === name)),
  );
}

/** Returns the expression of `... satisfies Type` and `... as Type`. */
function withoutType<Node extends { readonly type: string }>(node: Node): Expression {
  const expression = node as unknown as Expression;
  return expression.type === 'TSSatisfiesExpression' || expression.type === 'TSAsExpression'
    ? withoutType(expression.expression)
    : expression;
}
