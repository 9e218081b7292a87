/** A token of a CEL expression, with its position in the text. */
export interface Token {
  readonly type: 'identifier' | 'string' | 'number' | 'operator' | 'end';
  /** The content of a string, without its quotes; otherwise the text of the token. */
  readonly text: string;
  readonly position: number;
}

const TOKEN =
  /\s*(?:(?<identifier>[A-Za-z_]\w*)|'(?<single>[^'\\\n]*)'|"(?<double>[^"\\\n]*)"|(?<number>\d\w*)|(?<operator>\|\||&&|[-+*/%<>!=?:.,()[\]{}]))/y;

/** Returns the tokens of a CEL expression and an `end`; `undefined` if a part of the text is not a token. */
export function celTokens(text: string): readonly Token[] | undefined {
  const source = text.trimEnd();
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const position = TOKEN.lastIndex;
    const groups: Readonly<Partial<Record<string, string>>> = TOKEN.exec(source)?.groups ?? {};
    const { identifier, single, double, number, operator } = groups;
    if (identifier !== undefined) tokens.push({ type: 'identifier', text: identifier, position });
    else if (number !== undefined) tokens.push({ type: 'number', text: number, position });
    else if (operator !== undefined) tokens.push({ type: 'operator', text: operator, position });
    else if (single !== undefined || double !== undefined) {
      tokens.push({ type: 'string', text: single ?? double ?? '', position });
    } else return undefined;
  }
  return [...tokens, { type: 'end', text: '<EOF>', position: source.length }];
}
