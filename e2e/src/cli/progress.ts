/** Writes progress lines, and a running clock below them on a terminal. */
export class Progress {
  readonly #out: NodeJS.WriteStream;

  constructor(out: NodeJS.WriteStream = process.stderr) {
    this.#out = out;
  }

  say(line: string): void {
    this.#out.write(`${line}\n`);
  }

  /** Reports how long `work` takes: on a terminal every second, elsewhere every 15 s. */
  async during<Value>(title: string, work: () => Promise<Value>): Promise<Value> {
    const started = performance.now();
    const seconds = () => `${((performance.now() - started) / 1000).toFixed(1)} s`;
    this.say(`${title} ...`);
    const isTerminal = this.#out.isTTY;
    const tick = () => this.#out.write(isTerminal ? `\r  ${seconds()} ` : `  ${title}: ${seconds()}\n`);
    const ticker = setInterval(tick, isTerminal ? 1_000 : 15_000);
    try {
      const value = await work();
      clearInterval(ticker);
      this.say(`${isTerminal ? '\r' : ''}  ${title}: done (${seconds()})`);
      return value;
    } catch (error) {
      clearInterval(ticker);
      this.say(`${isTerminal ? '\r' : ''}  ${title}: failed (${seconds()})`);
      throw error;
    }
  }
}
