import { describe, expect, it } from '@jest/globals';
import { compareResourceVersions } from './resource-version.ts';

describe('compareResourceVersions', () => {
  it('K-1: orders by length, then by text', () => {
    expect(compareResourceVersions('9', '10')).toBeLessThan(0);
    expect(compareResourceVersions('10', '9')).toBeGreaterThan(0);
    expect(compareResourceVersions('21', '12')).toBeGreaterThan(0);
    expect(compareResourceVersions('12', '12')).toBe(0);
    expect(compareResourceVersions('18446744073709551614', '18446744073709551615')).toBeLessThan(0);
  });

  it('returns undefined if a version is not a decimal number', () => {
    expect(compareResourceVersions('', '1')).toBeUndefined();
    expect(compareResourceVersions('1', 'abc')).toBeUndefined();
    expect(compareResourceVersions('01', '1')).toBeUndefined();
  });
});
