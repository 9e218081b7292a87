import { Document, isMap, isScalar, isSeq, visit } from 'yaml';

/** An object of a cluster, to be written as YAML. */
export interface Manifest {
  readonly object: ManifestObject;
  /** Comments of each rule of a role. Default: none. */
  readonly ruleComments?: readonly (readonly string[])[];
}

/** The fields that every object has. */
export interface ManifestObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: ManifestMetadata;
  readonly [field: string]: unknown;
}

interface ManifestMetadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

/** Begins the note in each file that the command writes. */
export const MARKER = 'Written by mcr generate';

/** Note in the first lines of each file that the command writes. */
export const NOTE = `${MARKER}. DO NOT EDIT: change mcr.config.ts or the code, and run the command again.`;

const FORMAT = { lineWidth: 0, flowCollectionPadding: false, singleQuote: true };

const HEAD = `# ${NOTE}\n`;

/** Returns a file with these objects. Equal objects give equal texts. */
export function fileText(manifests: readonly Manifest[]): string {
  return HEAD + manifests.map(manifestText).join('---\n');
}

/** Returns a file with one value that is not an object of a cluster, such as the values of a chart. */
export function valueText(value: object): string {
  return HEAD + new Document(value).toString(FORMAT);
}

function manifestText({ object, ruleComments = [] }: Manifest): string {
  const document = new Document(object, { aliasDuplicateObjects: false });
  visit(document, {
    // Lists of words are on one line, as in most manifests.
    Seq: (_, list) => void (list.flow = list.items.every((item) => isScalar(item))),
  });
  const rules = document.get('rules');
  if (isSeq(rules)) {
    for (const [index, comments] of ruleComments.entries()) {
      const rule = rules.items[index];
      if (isMap(rule)) rule.commentBefore = comments.map((comment) => ` ${oneLine(comment)}`).join('\n');
    }
  }
  return document.toString(FORMAT);
}

/** Maximum length of a comment, which may quote texts of a program. */
const MAX_COMMENT = 300;

function oneLine(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is replaced
  return text.replaceAll(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/gu, ' ').slice(0, MAX_COMMENT);
}
