import type { Discrepancy } from './comparison.ts';
import type { Operation } from './operation.ts';
import type { Round } from './duel.ts';
import type { Answer, Sent } from './side.ts';

/** Maximum length of a value, and of a request, in the output. */
const VALUE_LIMIT = 600;
const REQUEST_LIMIT = 6_000;

/** Differences that are alike, because the same fields of the same kind differ. */
export interface Group {
  readonly signature: string;
  count: number;
  readonly round: Round;
  readonly found: readonly Discrepancy[];
}

/** Collects the differences of a run. */
export class Differences {
  readonly #groups = new Map<string, Group>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Groups, the largest first. */
  get groups(): readonly Group[] {
    return [...this.#groups.values()].toSorted((a, b) => b.count - a.count);
  }

  add(round: Round, found: readonly Discrepancy[]): void {
    this.#count += 1;
    const signature = signatureOf(round, found);
    const group = this.#groups.get(signature);
    if (group) group.count += 1;
    else this.#groups.set(signature, { signature, count: 1, round, found });
  }
}

/** Returns the lines that describe one group. */
export function describeGroup({ signature, count, round, found }: Group): string {
  const values = found.map(
    ({ path, expected, actual }) =>
      `    ${path}\n      real:     ${bounded(expected)}\n      embedded: ${bounded(actual)}`,
  );
  return [`${count} x ${signature} (first: operation ${round.index})`, `  ${curl(round.sent)}`, ...values].join('\n');
}

/** Returns the command line that repeats a request. */
export function curl({ method, path, headers, body }: Sent): string {
  const options = Object.entries(headers).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`);
  const text = body === undefined || Buffer.isBuffer(body) || typeof body === 'string' ? body : JSON.stringify(body);
  const data = text === undefined ? '' : ` --data-binary ${quoted(text.toString())}`;
  const line = `curl -sk -H "authorization: Bearer $TOKEN" -X ${method}${options.join('')} "$SERVER"${quoted(path)}${data}`;
  return line.length > REQUEST_LIMIT ? `${line.slice(0, REQUEST_LIMIT)}…` : line;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function bounded(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > VALUE_LIMIT ? `${text.slice(0, VALUE_LIMIT)}… (${text.length} characters)` : text;
}

function signatureOf({ operation, answers: [expected, actual] }: Round, found: readonly Discrepancy[]): string {
  const paths = [...new Set(found.map(({ path }) => path))].slice(0, 4).join(' ');
  const messages = found.length > 0 && expected?.status !== actual?.status ? ` ${shapeOf(expected)}` : '';
  return `${operation.method} ${resourceOf(operation)} ${expected?.status ?? 0}/${actual?.status ?? 0} ${paths}${messages}`;
}

/** Returns the resource and subresource of a path. */
function resourceOf({ path }: Operation): string {
  const [plain = ''] = path.split('?');
  const segments = plain.replace(/^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/[^/]+\/(?=.))?/u, '').split('/');
  return [segments[0], segments[2]].filter(Boolean).join('/') || plain;
}

/** Returns the beginning of the message of an error, without values. */
function shapeOf(answer: Answer | undefined): string {
  const body = answer?.body as { readonly message?: string } | undefined;
  return (body?.message ?? '').replaceAll(/"[^"]*"/gu, '"…"').slice(0, 120);
}
