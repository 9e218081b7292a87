import type { Measurement, Scenario } from './scenario.ts';

/** The result of a scenario, as `--json` prints it in one line. */
export interface Result {
  readonly id: string;
  /** `null` if the scenario failed. */
  readonly value: number | null;
  readonly unit: string;
  readonly floor: number | null;
  readonly ratio: number | null;
  readonly goal: string;
  readonly met: boolean;
  readonly details: Readonly<Record<string, number | null>>;
}

/** @param measurement `undefined` if the scenario failed. */
export function resultOf(scenario: Scenario, measurement: Measurement | undefined): Result {
  const { id, unit, goal } = scenario;
  if (!measurement) return { id, value: null, unit, floor: null, ratio: null, goal, met: false, details: {} };
  const { value, details } = measurement;
  const floor = measurement.floor ?? NaN;
  const ratio = value / floor;
  const met = scenario.isMet({ value, floor, ratio, detail: (name) => details[name] ?? NaN });
  return {
    id,
    value: rounded(value),
    unit,
    floor: rounded(floor),
    ratio: rounded(ratio),
    goal,
    met,
    details: Object.fromEntries(Object.entries(details).map(([name, detail]) => [name, rounded(detail)])),
  };
}

/** Returns the lines that a person reads. */
export function textOf({ title }: Scenario, result: Result, isSmoke: boolean): string {
  const { id, value, unit, floor, ratio, goal, met, details } = result;
  const beside = ratio === null ? '' : `, floor ${shown(floor)} ${unit}, ratio ${ratio.toFixed(2)}`;
  const verdict = value === null ? 'failed' : isSmoke ? 'not checked' : met ? 'met' : 'NOT met';
  return [
    `${id}  ${title}`,
    `${shown(value)} ${unit}${beside}`,
    ...Object.entries(details).map(([name, detail]) => `${name}: ${shown(detail)}`),
    `goal: ${goal}: ${verdict}`,
    '',
  ].join('\n     ');
}

/** Returns five digits, or `null` for what is not a number. */
function rounded(number: number): number | null {
  return Number.isFinite(number) ? Number(number.toPrecision(5)) : null;
}

function shown(number: number | null): string {
  return number === null ? '–' : number.toLocaleString('en-US', { maximumSignificantDigits: 5 });
}
