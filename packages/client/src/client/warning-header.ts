import { shortened } from '../text/shortened.ts';

/** A warning in a server's response (RFC 7234 section 5.5; the Kubernetes API uses code 299). */
export interface Warning {
  readonly code: number;
  /** Name of the server that warns; `-` if unknown. */
  readonly agent: string;
  readonly text: string;
}

/** Matches `299 - "text"`, optionally followed by a date. A backslash escapes the next character of the text. */
const WARNING = /\s*(\d{3})\s+(\S+)\s+"((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?\s*(?:,|$)/y;

/** Maximum length of the agent, in bytes. */
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

/** Decodes text that Node.js has read as Latin-1: API servers write UTF-8. */
function decoded(text: string): string {
  const bytes = Buffer.from(text, 'latin1');
  if (bytes.toString('latin1') !== text) return text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return text;
  }
}
