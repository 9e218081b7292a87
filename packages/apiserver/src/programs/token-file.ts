import type { Token } from '../access/tokens.ts';
import { userOf } from '../access/user.ts';
import { FlagError } from './flags.ts';

const MAX_TOKENS = 10_000;

/**
 * Parses a static token file: lines of `token,user,uid,"group1,group2"`. (Upstream: the documentation of
 * `--token-auth-file`.)
 *
 * @throws {FlagError} that names the line which lacks a column.
 */
export function parseTokenFile(text: string): Token[] {
  const lines = text.split(/\r?\n/);
  if (lines.length > MAX_TOKENS) throw new FlagError(`--token-auth-file: more than ${MAX_TOKENS} lines`);
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const [token = '', name = '', uid = '', groups = ''] = columnsOf(line);
    if (token === '' || name === '') {
      throw new FlagError(`--token-auth-file: line ${index + 1}: expected token,user,uid and groups`);
    }
    const user = userOf(
      name,
      groups
        .split(',')
        .map((group) => group.trim())
        .filter((group) => group !== ''),
    );
    return [{ token, user: uid === '' ? user : { ...user, uid } }];
  });
}

function columnsOf(line: string): string[] {
  return [...line.matchAll(/"(?<quoted>[^"]*)"|(?<plain>[^,]+)|(?<=,|^)(?=,|$)/g)].map(({ groups }) =>
    (groups?.['quoted'] ?? groups?.['plain'] ?? '').trim(),
  );
}
