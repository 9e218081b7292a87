import { foundText } from '../options/found-text.ts';

const CALLBACKS = ['onAdd', 'onUpdate', 'onDelete', 'onLeave'] as const;

/** Refuses a handler that would never be called, or whose call would fail. @throws {TypeError} that names the problem. */
export function checkHandler(handler: unknown): void {
  if (typeof handler !== 'object' || handler === null) {
    const hint = typeof handler === 'function' ? ': pass { onAdd: ... }' : '';
    throw new TypeError(
      `handler: expected an object with onAdd, onUpdate or onDelete, found ${foundText(handler)}${hint}`,
    );
  }
  const callbacks = CALLBACKS.map((name) => [name, (handler as Readonly<Record<string, unknown>>)[name]] as const);
  for (const [name, callback] of callbacks) {
    if (callback === undefined || typeof callback === 'function') continue;
    throw new TypeError(`handler: ${name}: expected a function, found ${foundText(callback)}`);
  }
  if (callbacks.some(([, callback]) => callback !== undefined)) return;
  throw new TypeError('handler: expected a handler with onAdd, onUpdate or onDelete, found none of them');
}
