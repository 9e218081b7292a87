import { qualifiedNameErrors } from './names.ts';
import type { Change } from './resource-type.ts';

/** Finalizers of Kubernetes itself, which have no domain. */
const STANDARD: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/**
 * Returns the warnings about the finalizers that a write adds to a custom object. (Upstream: `generateWarningsFromObj` of
 * apiextensions-apiserver.)
 */
export function finalizerWarnings({ object, previous }: Change): string[] {
  const before = new Set(previous?.metadata.finalizers);
  const added = new Set(object.metadata.finalizers?.filter((name) => !before.has(name)));
  return [...added].toSorted().flatMap((name) => {
    const texts = qualifiedNameErrors(name);
    if (name.includes('/') || STANDARD.has(name)) return texts.map((text) => shown(name, text));
    const wanted = name.includes('.') ? 'finalizer name including a path (/)' : 'finalizer name';
    const why = 'to avoid accidental conflicts with other finalizer writers';
    return [...texts, `prefer a domain-qualified ${wanted} ${why}`].map((text) => shown(name, text));
  });
}

function shown(name: string, text: string): string {
  return `metadata.finalizers: ${JSON.stringify(name)}: ${text}`;
}
