// For tests of kinds.
export { checkConversions, type ConversionCheckOptions } from './versions/check-conversions.ts';
