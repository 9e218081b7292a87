/** One alternative of an `Accept` header. */
export interface MediaRange {
  /** For example `application/json`, in lower case. */
  readonly type: string;
  /** For example `as`, `g`, `v`. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Parses an `Accept` header, most preferred first. Without a header, every type is accepted. */
export function parseAccept(header: string | undefined): MediaRange[] {
  if (!header) return [{ type: '*/*', parameters: {} }];
  const ranges = header.split(',').map((text) => {
    const [type = '', ...rest] = text.split(';').map((part) => part.trim());
    const parameters = Object.fromEntries(
      rest.map((parameter) => {
        const equals = parameter.indexOf('=');
        return equals < 0 ? [parameter, ''] : [parameter.slice(0, equals), parameter.slice(equals + 1)];
      }),
    );
    return { type: type.toLowerCase(), parameters };
  });
  const quality = ({ parameters }: MediaRange): number => Number(parameters['q'] ?? 1);
  return ranges.sort((a, b) => quality(b) - quality(a));
}

/** Reports whether a client prefers YAML to JSON. */
export function prefersYaml(accept: string | undefined): boolean {
  const first = parseAccept(accept).find((range) => acceptsJson(range) || acceptsYaml(range));
  return first !== undefined && !acceptsJson(first);
}

export function acceptsYaml({ type }: MediaRange): boolean {
  return type === 'application/yaml';
}

export function acceptsJson({ type }: MediaRange): boolean {
  return type === 'application/json' || type === 'application/*' || type === '*/*';
}
