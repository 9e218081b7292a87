import { serverPattern } from '../pattern/server-pattern.ts';

/** Returns a pattern that matches these texts and no others. */
export function textPattern(texts: readonly unknown[]): string {
  const choices = texts.map((text) => String(text).replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&'));
  return serverPattern(new RegExp(`^(?:${choices.join('|')})$`, 'u'));
}
