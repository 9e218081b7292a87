import { shortened } from '../text/shortened.ts';

/** What a server says beside its answer. (RFC 7234 section 5.5, of which the API uses code 299.) */
export interface Warning {
  readonly code: number;
  /** Who warns; `-` when it does not say. */
  readonly agent: string;
  readonly text: string;
}

/** `299 - "text"`, perhaps with a date behind it; within the quotes a backslash keeps the next character. */
const WARNING = /\s*(\d{3})\s+(\S+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?\s*(?:,|$)/y;

/** In bytes. */
const LONGEST_AGENT = 256;
/** Maximum number of warnings per response. */
const MAX_WARNINGS = 32;

/**
 * Parses a `Warning` header, or several joined by commas. Returns at most 32 warnings with at most 1 KiB of text each.
 * Stops at the first malformed warning.
 */
export function parseWarnings(header: string): Warning[] {
  const warnings: Warning[] = [];
  WARNING.lastIndex = 0;
  for (let match = WARNING.exec(header); match; match = WARNING.exec(header)) {
    const [, code, agent = '-', quoted = ''] = match;
    const text = shortened(decoded(quoted.replaceAll(/\\(.)/g, '$1')));
    warnings.push({ code: Number(code), agent: shortened(agent, LONGEST_AGENT), text });
    if (WARNING.lastIndex === header.length || warnings.length === MAX_WARNINGS) break;
  }
  return warnings;
}

/** Node.js may read the bytes of a header as Latin-1; an API server writes UTF-8. */
function decoded(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.toString('latin1') !== text) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return text;
  }
}
