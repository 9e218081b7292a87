import { expected, listMetadataProblem, namedObjectProblem } from '../kinds/object-shape.ts';

/** Returns why a decoded line of a watch stream is not a watch event, or `undefined`. */
export function eventProblem(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null) return expected('the line', 'an object', event);
  const { type, object } = event as { readonly type?: unknown; readonly object?: unknown };
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return namedObjectProblem(object, 'object');
    case 'BOOKMARK':
    case 'ERROR':
      if (typeof object !== 'object' || object === null) return expected('object', 'an object', object);
      return type === 'ERROR' ? undefined : bookmarkProblem(object);
    default:
      return 'type must be ADDED, MODIFIED, DELETED, BOOKMARK or ERROR';
  }
}

function bookmarkProblem({ metadata }: { readonly metadata?: unknown }): string | undefined {
  const path = 'object.metadata';
  const problem = listMetadataProblem(metadata, path);
  if (problem !== undefined) return problem;
  const { resourceVersion } = metadata as { readonly resourceVersion?: string };
  return resourceVersion ? undefined : `${path}.resourceVersion is missing`;
}
