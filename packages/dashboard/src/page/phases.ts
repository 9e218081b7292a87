import { drawing, element } from './dom.ts';
import { visible } from './text.ts';

/** Phases from the worst to the best, with the shape that marks each one, in a square of 10 × 10. */
const PHASES: Readonly<Record<string, { readonly tone: string; readonly shape: string }>> = {
  Unreachable: { tone: 'bad', shape: 'M1.5 0 5 3.5 8.5 0 10 1.5 6.5 5 10 8.5 8.5 10 5 6.5 1.5 10 0 8.5 3.5 5 0 1.5Z' },
  Degraded: { tone: 'warn', shape: 'M5 .5 10 9.5H0Z' },
  Connecting: {
    tone: 'info',
    shape: 'M5 0A5 5 0 0 1 10 5H7.8A2.8 2.8 0 0 0 5 2.2ZM5 10A5 5 0 0 1 0 5H2.2A2.8 2.8 0 0 0 5 7.8Z',
  },
  Syncing: { tone: 'info', shape: 'M5 0A5 5 0 0 1 5 10ZM5 0A5 5 0 0 0 5 10V8.6A3.6 3.6 0 0 1 5 1.4Z' },
  Discovered: {
    tone: 'idle',
    shape: 'M5 0A5 5 0 1 0 5 10 5 5 0 1 0 5 0ZM5 1.5A3.5 3.5 0 1 1 5 8.5 3.5 3.5 0 1 1 5 1.5Z',
  },
  Engaged: { tone: 'ok', shape: 'M5 0A5 5 0 1 0 5 10 5 5 0 1 0 5 0Z' },
  Disengaged: { tone: 'idle', shape: 'M0 4H10V6H0Z' },
};
/** Restrictions of reconciles, which a cluster has besides its phase. */
const ISOLATIONS: typeof PHASES = {
  parked: { tone: 'bad', shape: 'M1.5 0H4V10H1.5ZM6 0H8.5V10H6Z' },
  slow: { tone: 'warn', shape: 'M1 0H9V1.5L6 5 9 8.5V10H1V8.5L4 5 1 1.5Z' },
};
const OTHER = { tone: 'idle', shape: 'M2 2H8V8H2Z' };

export const phaseNames: readonly string[] = Object.keys(PHASES);
export const isolationNames: readonly string[] = Object.keys(ISOLATIONS);

/** Position of a phase in the order from the worst to the best. */
export function phaseOrder(phase: string): number {
  const order = phaseNames.indexOf(phase);
  return order < 0 ? phaseNames.length : order;
}

export function toneOf(phase: string): string {
  return styleOf(phase).tone;
}

/** Returns a phase or a restriction as text with a shape, so that its colour is not needed. */
export function phaseMark(phase: string): HTMLElement {
  const { tone } = styleOf(phase);
  return element('span', { class: `phase ${tone}` }, phaseShape(phase), visible(phase));
}

export function phaseShape(phase: string): SVGElement {
  const path = drawing('path', { d: styleOf(phase).shape, 'fill-rule': 'evenodd' });
  return drawing('svg', { class: 'shape', viewBox: '0 0 10 10', 'aria-hidden': 'true' }, path);
}

function styleOf(phase: string): typeof OTHER {
  return (Object.hasOwn(PHASES, phase) ? PHASES[phase] : ISOLATIONS[phase]) ?? OTHER;
}
