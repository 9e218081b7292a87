const RAW = 'use k8s.raw() for a value of any type';
const CONVERT = 'declare the value as it is stored, and convert it in your code';

/** Types of zod that a structural schema does not have, each with what to write instead. */
export const REFUSED_TYPES: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  bigint: [
    'z.bigint() is not a type of JSON',
    'use z.int() up to 2^53, or z.string() with a pattern for larger integers',
  ],
  catch: ['.catch() hides errors that the server reports', 'use .default() for a value that is missing'],
  custom: ['z.custom() and z.instanceof() are functions', RAW],
  date: ['z.date() is not a type of JSON', 'use z.iso.datetime() or k8s.time(), which are strings'],
  file: ['z.file() is not a type of JSON', 'use k8s.bytes(), which is base64 in a string'],
  function: ['z.function() is not a type of JSON', 'remove it'],
  intersection: ['z.intersection() has no structural schema', 'use .extend() to get one object with all fields'],
  map: ['z.map() is not a type of JSON', 'use z.record(z.string(), value)'],
  nan: ['z.nan() is not a type of JSON', 'use z.number()'],
  never: ['z.never() accepts no value', 'remove the field'],
  null: ['z.null() is not a type of a structural schema', 'use .nullable() on the other type'],
  pipe: ['.pipe(), .transform(), z.preprocess(), z.codec() and z.stringbool() change values', CONVERT],
  promise: ['z.promise() is not a type of JSON', 'use the schema of its value'],
  set: ['z.set() is not a type of JSON', 'use k8s.listSet(item), which is a list without duplicates'],
  success: ['z.success() changes values', CONVERT],
  symbol: ['z.symbol() is not a type of JSON', 'use z.string()'],
  transform: ['z.transform() changes values', CONVERT],
  tuple: ['z.tuple() has no structural schema', 'use z.object() with a name for each element, or z.array()'],
  undefined: ['z.undefined() is not a type of JSON', 'use .optional() on the type of the field'],
  void: ['z.void() is not a type of JSON', 'use .optional() on the type of the field'],
};
