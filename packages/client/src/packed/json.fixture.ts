import fc from 'fast-check';

/** Names of fields that the scanner knows, and names like them. */
export const NAMES = [
  ...['apiVersion', 'kind', 'metadata', 'name', 'namespace', 'uid', 'resourceVersion', 'labels', 'annotations'],
  ...['ownerReferences', 'managedFields', 'generation', 'deletionTimestamp', 'creationTimestamp', 'finalizers'],
  ...['type', 'object', 'items', 'continue', 'spec', '__proto__', '', 'mid', 'nameS', 'namespaces', 'é'],
];

/** JSON texts of strings with escapes and characters of all planes. */
const stringText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('"a"', '"pod-1"', '""', '"1"', '"2026-01-01T00:00:00Z"') },
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0061"', '"é"', '"\\ud83d\\ude00"', '"\\ud800"', '"\\n\\"\\\\\\/"', `"${'x'.repeat(1025)}"`),
);

const numberText = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => JSON.stringify(number)),
  fc.constantFrom(
    '0',
    '-0',
    '7',
    '-1.5e+10',
    '1E5',
    '9007199254740993',
    '-9223372036854775808',
    '123456789012345678901',
  ),
);

const scalarText = fc.oneof(
  { weight: 3, arbitrary: stringText },
  numberText,
  fc.constantFrom('null', 'true', 'false', '{}', '[]'),
);

const space = fc.oneof({ weight: 9, arbitrary: fc.constant('') }, fc.constantFrom(' ', '\t', '\r', '\n', ' \t '));

/** Names as JSON texts, some of them with escapes. */
const nameText = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom(...NAMES).map((name) => JSON.stringify(name)) },
  fc.constantFrom(...NAMES).map((name) => `"${Array.from(name, escaped).join('')}"`),
);

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

type Text = fc.Arbitrary<string>;

export function objectText(fields: fc.Arbitrary<readonly (readonly [string, string])[]>): Text {
  return fc
    .tuple(fields, space)
    .map(([each, gap]) => `{${each.map(([name, value]) => `${gap}${name}${gap}:${value}${gap}`).join(`,${gap}`)}}`);
}

function arrayText(element: Text, maxLength = 3): Text {
  return fc
    .tuple(fc.array(element, { maxLength }), space)
    .map(([each, gap]) => `[${gap}${each.join(`${gap},${gap}`)}]`);
}

const { value: valueText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalarText,
    arrayText(tie('value')),
    objectText(fc.array(fc.tuple(nameText, tie('value')), { maxLength: 4 })),
  ),
}));

const field = (name: string, value: Text): fc.Arbitrary<readonly [string, string]> =>
  value.map((text) => [JSON.stringify(name), text] as const);

const ownerText = fc
  .constantFrom('{"apiVersion":"v1","kind":"K","name":"n","uid":"u"}', '{"uid":"u","name":"n"}', '7')
  .chain((text) => fc.constantFrom(text, text.replace('"n"', '"\\u006e"')));

const managerText = objectText(
  fc.array(
    fc.oneof(
      ...['manager', 'operation', 'apiVersion', 'subresource', 'time', 'fieldsType'].map((name) =>
        field(name, fc.oneof({ weight: 9, arbitrary: stringText }, fc.constantFrom('null', '7'))),
      ),
      field('fieldsV1', valueText),
    ),
    { minLength: 1, maxLength: 4 },
  ),
);

/** Fields of the metadata, most of them of the right type. Some occur several times. */
const metadataFields = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: field('name', stringText) },
    ...['namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'].map((name) =>
      field(name, fc.oneof({ weight: 5, arbitrary: stringText }, fc.constant('null'))),
    ),
    ...['labels', 'annotations'].map((name) => field(name, objectText(fc.array(fc.tuple(nameText, stringText))))),
    field('generation', numberText),
    field('finalizers', arrayText(stringText)),
    field('ownerReferences', arrayText(ownerText)),
    field('managedFields', arrayText(fc.oneof({ weight: 5, arbitrary: managerText }, valueText))),
    fc.tuple(nameText, valueText),
  ),
  { maxLength: 8 },
);

const name = fc.constant(['"name"', '"a"'] as const);

/** JSON texts of Kubernetes objects, most of them valid. */
export const kubernetesObjectText: Text = objectText(
  fc
    .tuple(
      fc.array(
        fc.oneof(
          field('apiVersion', stringText),
          field('kind', stringText),
          fc.tuple(nameText, valueText),
          field('spec', valueText),
        ),
        { maxLength: 4 },
      ),
      field('metadata', objectText(fc.tuple(name, metadataFields).map(([first, rest]) => [first, ...rest]))),
      fc.nat(),
    )
    .map(([fields, metadata, place]) => fields.toSpliced(place % (fields.length + 1), 0, metadata)),
);

/** Texts with some of their bytes changed, removed or doubled. */
export function mutated(text: Text): fc.Arbitrary<Buffer> {
  const byte = fc.oneof(fc.constantFrom(...Buffer.from('{}[]",:\\ \n0-e.\u0000')), fc.nat(255));
  const change = fc.tuple(fc.nat(), fc.constantFrom('set', 'remove', 'double', 'insert'), byte);
  return fc.tuple(text, fc.array(change, { minLength: 1, maxLength: 3 })).map(([each, changes]) =>
    changes.reduce<Buffer>((bytes, [index, kind, value]) => {
      const at = index % (bytes.length + 1);
      const before = bytes.subarray(0, at);
      if (kind === 'set') return Buffer.concat([before, Buffer.from([value]), bytes.subarray(at + 1)]);
      if (kind === 'insert') return Buffer.concat([before, Buffer.from([value]), bytes.subarray(at)]);
      if (kind === 'remove') return Buffer.concat([before, bytes.subarray(at + 1)]);
      return Buffer.concat([before, bytes.subarray(at - 1, at), bytes.subarray(at)]);
    }, Buffer.from(each)),
  );
}

/** Texts as bytes, about half of them mutated. */
export function maybeMutated(text: Text): fc.Arbitrary<Buffer> {
  return fc.oneof(
    text.map((each) => Buffer.from(each)),
    mutated(text),
  );
}

export { valueText };
