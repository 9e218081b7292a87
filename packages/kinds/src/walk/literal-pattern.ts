import type { Place } from './place.ts';
import { translated } from './strings.ts';

/** Returns a pattern that matches these texts and no others. */
export function textPattern(texts: readonly unknown[], place: Place): string {
  const choices = texts.map((text) => String(text).replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&'));
  return translated(new RegExp(`^(?:${choices.join('|')})$`, 'u'), place);
}
