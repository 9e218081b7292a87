import { styleText } from 'node:util';
import type { Report } from './replica.ts';

const MARKS: Readonly<Record<string, string>> = { warming: '…', active: '●', draining: '◐' };

/** Shows which replica serves which member. On a terminal, it redraws in place; otherwise, it prints messages only. */
export class OwnerTable {
  readonly #members: readonly string[];
  readonly #stream: NodeJS.WriteStream;
  readonly #reports = new Map<string, Report>();
  readonly #redrawing: NodeJS.Timeout | undefined;
  #drawn = 0;

  constructor(members: readonly string[], { stream }: { readonly stream: NodeJS.WriteStream }) {
    this.#members = members;
    this.#stream = stream;
    if (stream.isTTY) this.#redrawing = setInterval(() => this.#redraw(), 250);
  }

  report(replica: string, report: Report): void {
    this.#reports.set(replica, report);
  }

  gone(replica: string): void {
    this.#reports.delete(replica);
  }

  /** Returns the owner of each member. */
  owners(): (string | undefined)[] {
    return this.#members.map((member) => [...this.#reports].find(([, report]) => report[member] === 'active')?.[0]);
  }

  /** Prints a line above the table. */
  say(line: string): void {
    this.#erase();
    this.#stream.write(`${line}\n`);
    if (this.#redrawing) this.#redraw();
  }

  /** Stops redrawing. The last table stays. */
  close(): void {
    clearInterval(this.#redrawing);
  }

  #redraw(): void {
    this.#erase();
    const replicas = [...this.#reports].sort(([a], [b]) => (a < b ? -1 : 1));
    const header = ['member'.padEnd(12), ...replicas.map(([name]) => name.padEnd(12))].join('');
    const lines = this.#members.map((member) =>
      [member.padEnd(12), ...replicas.map(([, report]) => (MARKS[report[member] ?? ''] ?? '·').padEnd(12))].join(''),
    );
    this.#stream.write(`${styleText('bold', header)}\n${lines.join('\n')}\n`);
    this.#drawn = lines.length + 1;
  }

  #erase(): void {
    if (this.#drawn > 0) this.#stream.write(`\u001B[${this.#drawn}A\u001B[0J`);
    this.#drawn = 0;
  }
}
