/**
 * Returns the paths of duplicate fields in a JSON text, which `JSON.parse` does not report.
 *
 * @param text valid JSON.
 */
export function duplicateFields(text: string): string[] {
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g);
  const duplicates = new Set<string>();
  const open: Container[] = [];
  let lastText = '';
  for (const [token] of tokens) {
    const container = open.at(-1);
    switch (token) {
      case '{':
        open.push({ path: childPath(container), fields: new Set(), field: '', index: 0 });
        break;
      case '[':
        open.push({ path: childPath(container), fields: undefined, field: '', index: 0 });
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ',':
        if (container) container.index += 1;
        break;
      case ':':
        if (!container?.fields) break;
        container.field = JSON.parse(lastText) as string;
        if (container.fields.has(container.field)) duplicates.add(childPath(container));
        container.fields.add(container.field);
        break;
      default:
        lastText = token;
    }
  }
  return [...duplicates];
}

interface Container {
  readonly path: string;
  /** Fields seen so far; `undefined` in a list. */
  readonly fields: Set<string> | undefined;
  field: string;
  index: number;
}

/** Returns the path of the value that starts here. */
function childPath(container: Container | undefined): string {
  if (!container) return '';
  const { path, fields, field, index } = container;
  if (!fields) return `${path}[${index}]`;
  return path === '' ? field : `${path}.${field}`;
}
