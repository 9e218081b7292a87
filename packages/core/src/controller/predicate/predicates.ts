/* The predicates of the namespace `predicates`. */
import type { ComparedField, KubernetesObject } from '@mcr/client';
import { hasChanged, matchesLabels, parseLabelSelector } from '@mcr/client';
import type { Predicate, PredicateFuncs } from './predicate.ts';

/** Returns a predicate with one function for each event type. Types without a function pass. */
export function funcs<T extends KubernetesObject>(byType: PredicateFuncs<T>): Predicate<T> {
  return (event) => {
    switch (event.type) {
      case 'create':
        return byType.create?.(event) ?? true;
      case 'update':
        return byType.update?.(event) ?? true;
      case 'delete':
        return byType.delete?.(event) ?? true;
      case 'generic':
        return byType.generic?.(event) ?? true;
    }
  };
}

/** Passes events that pass all of `predicates`. */
export function and<T extends KubernetesObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.every((predicate) => predicate(event));
}

/** Passes events that pass any of `predicates`. */
export function or<T extends KubernetesObject>(...predicates: readonly Predicate<T>[]): Predicate<T> {
  return (event) => predicates.some((predicate) => predicate(event));
}

/** Passes events that do not pass `predicate`. */
export function not<T extends KubernetesObject>(predicate: Predicate<T>): Predicate<T> {
  return (event) => !predicate(event);
}

/** Drops updates without a change, such as those of a resync. */
export const resourceVersionChanged: Predicate = changed('resourceVersion');

/**
 * Drops updates that did not change the generation, such as updates of status and metadata. It drops all updates of
 * kinds without a generation (ConfigMap, Secret, ...).
 */
export const generationChanged: Predicate = changed('generation');

/** Drops updates that did not change the annotations. */
export const annotationChanged: Predicate = changed('annotations');

/** Drops updates that did not change the labels. */
export const labelChanged: Predicate = changed('labels');

/**
 * Passes events of objects whose labels match, for example `env in (prod, stage), !legacy`. Use the `labelSelector` of
 * a watch instead if the API server should not send other objects.
 *
 * @throws {SyntaxError} if `selector` cannot be parsed.
 */
export function labelSelector(selector: string): Predicate {
  const parsed = parseLabelSelector(selector);
  return ({ metadata }) => matchesLabels(parsed, metadata.labels);
}

function changed(field: ComparedField): Predicate {
  return (event) => event.type !== 'update' || hasChanged(event, field);
}
