import { escaped } from '../pattern/escaped.ts';
import type { SchemaPath } from './schema-path.ts';
import { translated } from './strings.ts';

/** Returns a pattern that matches these texts and no others. */
export function textPattern(texts: readonly unknown[], at: SchemaPath): string {
  const choices = texts.map((text) => escaped(String(text)));
  return translated(new RegExp(`^(?:${choices.join('|')})$`, 'u'), at);
}
