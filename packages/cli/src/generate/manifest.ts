import { shortened } from '@mcr/core/provider';
import { Document, isMap, isScalar, isSeq, Scalar, visit } from 'yaml';

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

/** kubectl, kustomize and Helm read YAML 1.1, in which more words are numbers, booleans or times: `yes`, `on`, `1_000`. */
const SCHEMA = { compat: 'yaml-1.1' } as const;
const FORMAT = { lineWidth: 0, flowCollectionPadding: false, singleQuote: true };

const HEAD = `# ${NOTE}\n`;

/** Returns a file with these objects. Equal objects give equal texts. */
export function fileText(manifests: readonly Manifest[]): string {
  return HEAD + manifests.map(manifestText).join('---\n');
}

/** Returns a file with one value that is not an object of a cluster, such as the values of a chart. */
export function valueText(value: object): string {
  return HEAD + documentText(new Document(value, SCHEMA));
}

function manifestText({ object, ruleComments = [] }: Manifest): string {
  const document = new Document(object, { ...SCHEMA, aliasDuplicateObjects: false });
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
  return documentText(document);
}

/** Returns the text of a document. What a person would not see in a string or a comment is escaped. */
function documentText(document: Document): string {
  visit(document, {
    Scalar: (_, scalar) => {
      if (typeof scalar.value === 'string' && scalar.value.search(HIDDEN) >= 0) scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return document.toString(FORMAT).replaceAll(HIDDEN, escaped);
}

/** Control, format and unassigned characters and separators, except for the ends of lines. YAML refuses some of them. */
const HIDDEN = /[^\P{C}\p{Co}\n]|[\p{Zl}\p{Zp}]/gu;

/** Returns an escape of YAML. In a comment, it only has to be visible. */
function escaped(character: string): string {
  const hex = (character.codePointAt(0) ?? 0).toString(16);
  return hex.length > 4 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex.padStart(4, '0')}`;
}

/** Maximum length of a comment, which may quote texts of a program. */
const MAX_COMMENT = 300;

function oneLine(text: string): string {
  return shortened(text.replaceAll(/\s+/gu, ' '), MAX_COMMENT);
}
