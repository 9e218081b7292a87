/** An event of a server-sent event stream. */
export interface StreamEvent {
  readonly type: string;
  readonly data: string;
}

/** Splits a server-sent event stream, as far as the server of this page uses the format. */
export class EventStream {
  #rest = '';

  /** Adds a piece of the stream. @returns the events that are complete. */
  push(text: string): StreamEvent[] {
    const parts = (this.#rest + text).split('\n\n');
    this.#rest = parts.pop() ?? '';
    return parts.map((part) => {
      const fields = new Map(part.split('\n').map((line) => split(line)));
      return { type: fields.get('event') ?? 'message', data: fields.get('data') ?? '' };
    });
  }
}

function split(line: string): [string, string] {
  const colon = line.indexOf(': ');
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + 2)];
}
