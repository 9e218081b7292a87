/** A line on a terminal that shows what a program does. Elsewhere it shows nothing. */
export class LiveLine {
  readonly #out: NodeJS.WriteStream;
  readonly #started = performance.now();
  #text = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(out: NodeJS.WriteStream = process.stderr) {
    this.#out = out;
  }

  /** Shows a text with the seconds since the start. */
  show(text: string): void {
    if (!this.#out.isTTY) return;
    this.#text = text;
    this.#timer ??= setInterval(() => this.#draw(), 100);
    this.#draw();
  }

  clear(): void {
    clearInterval(this.#timer);
    if (this.#timer) this.#out.write('\r\u001b[K');
    this.#timer = undefined;
  }

  #draw(): void {
    const seconds = ((performance.now() - this.#started) / 1000).toFixed(1);
    this.#out.write(`\r\u001b[K${this.#text} ... ${seconds} s`);
  }
}
