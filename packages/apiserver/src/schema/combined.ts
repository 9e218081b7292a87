import type { Paused } from '../turn.ts';
import { Findings } from './findings.ts';
import type { Schema } from './schema.ts';

/**
 * Checks `allOf`, `anyOf`, `oneOf` and `not`. Of alternatives that all fail, the errors of the one with most checks are
 * reported too. (Upstream: `schemaPropsValidator`.)
 *
 * @param check validates the value by a part of the schema.
 */
export function* combined(schema: Schema, path: string, check: (part: Schema) => Paused<Findings>): Paused<Findings> {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  const findings = new Findings();
  const fail = (rule: string): void => {
    const text = `${JSON.stringify(path)} ${rule}`;
    findings.add(text, { reason: 'FieldValueInvalid', field: '', message: `Invalid value: "": ${text}` });
  };
  if (anyOf.length > 0) {
    const results = yield* checkAll(anyOf, check);
    const passed = results.find(({ isValid }) => isValid);
    if (!passed) fail('must validate at least one schema (anyOf)');
    const shown = passed ?? mostChecked(results);
    if (shown) findings.merge(shown);
  }
  if (oneOf.length > 0) {
    const results = yield* checkAll(oneOf, check);
    const passed = results.filter(({ isValid }) => isValid);
    if (passed.length === 1 && passed[0]) findings.merge(passed[0]);
    else if (passed.length > 1) {
      fail(`must validate one and only one schema (oneOf). Found ${passed.length} valid alternatives`);
      // Failures after the last schema that passed are forgotten upstream.
    } else {
      fail('must validate one and only one schema (oneOf). Found none valid');
      const shown = mostChecked(results);
      if (shown) findings.merge(shown);
    }
  }
  if (allOf.length > 0) {
    const results = yield* checkAll(allOf, check);
    for (const result of results) findings.merge(result);
    const passed = results.filter(({ isValid }) => isValid).length;
    if (passed < results.length) {
      fail(`must validate all the schemas (allOf)${passed === 0 ? '. None validated' : ''}`);
    }
  }
  if (not && (yield* check(not)).isValid) fail('must not validate the schema (not)');
  findings.count();
  return findings;
}

function* checkAll(parts: readonly Schema[], check: (part: Schema) => Paused<Findings>): Paused<Findings[]> {
  const results: Findings[] = [];
  for (const part of parts) results.push(yield* check(part));
  return results;
}

function mostChecked(results: readonly Findings[]): Findings | undefined {
  let best: Findings | undefined;
  for (const result of results) if (!best || result.checks > best.checks) best = result;
  return best;
}
