// Writes two files of packages/apiserver/src: protobuf/message-table.ts has the messages of Kubernetes' protobuf encoding, and
// schema/built-in/empty-objects.ts the JSON of an empty object of each kind, so that the server needs the messages only for
// protobuf.
//
//   node scripts/protobuf-table.mjs            writes the files
//   node scripts/protobuf-table.mjs --check    fails if one is out of date
//
// Needs Go. Downloads the Go modules below from the Go module proxy and reads two kinds of files of each API group:
// `generated.proto` has the messages with the numbers and types of their fields; `types.go` has the JSON names of these
// fields, and whether a field is a pointer or left out of JSON if empty. Nothing else of the modules is kept.
import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const VERSION = 'v0.35.4';
const SOURCE = new URL('../packages/apiserver/src/', import.meta.url);
const TABLE = new URL('protobuf/message-table.ts', SOURCE);
const EMPTY_OBJECTS = new URL('schema/built-in/empty-objects.ts', SOURCE);

/** Go packages of the API groups that Kubernetes 1.35 serves by default, by Go module. */
const PACKAGES = {
  'k8s.io/apimachinery': ['pkg/apis/meta/v1'],
  'k8s.io/api': [
    ...['core/v1', 'admissionregistration/v1', 'apidiscovery/v2', 'apps/v1', 'authentication/v1', 'authorization/v1'],
    ...['autoscaling/v1', 'autoscaling/v2', 'batch/v1', 'certificates/v1', 'coordination/v1', 'discovery/v1'],
    ...['events/v1', 'flowcontrol/v1', 'networking/v1', 'node/v1', 'policy/v1', 'rbac/v1', 'resource/v1'],
    ...['scheduling/v1', 'storage/v1'],
  ],
  'k8s.io/apiextensions-apiserver': ['pkg/apis/apiextensions/v1'],
  'k8s.io/kube-aggregator': ['pkg/apis/apiregistration/v1'],
};

/** Codes of the types that are not messages of the table. */
const CODES = {
  string: 's',
  bytes: 'y',
  bool: 'b',
  int32: 'i',
  int64: 'l',
  double: 'd',
  'k8s.io.apimachinery.pkg.api.resource.Quantity': 'Q',
  'k8s.io.apimachinery.pkg.util.intstr.IntOrString': 'I',
  'k8s.io.apimachinery.pkg.runtime.RawExtension': 'R',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Time': 'T',
  'k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime': 'M',
  'k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1': 'R',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON': 'R',
};

/** Messages whose JSON is not an object with the fields of the message. */
const ALTERNATIVES = new Set(['JSONSchemaPropsOrArray', 'JSONSchemaPropsOrBool', 'JSONSchemaPropsOrStringArray']);

async function main() {
  const sections = Object.entries(PACKAGES).flatMap(([module, folders]) => {
    const { Dir } = JSON.parse(execFileSync('go', ['mod', 'download', '-json', `${module}@${VERSION}`]).toString());
    return folders.map((folder) => readPackage(`${module}/${folder}`, join(Dir, folder)));
  });
  const table = sections.map((section) => notationOf(section, sections)).join('');
  writeOrCheck(TABLE, moduleOf(table));
  writeOrCheck(EMPTY_OBJECTS, await emptyObjectsOf(`\n${table}`));
}

function writeOrCheck(file, text) {
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${fileURLToPath(file)} is out of date: run "node scripts/protobuf-table.mjs"`);
    process.exitCode = 1;
  }
}

function readPackage(path, folder) {
  const register = readFileSync(join(folder, 'register.go'), 'utf8');
  const group = /^const GroupName = "(.*)"$/m.exec(register)[1];
  const version = folder.split('/').at(-1);
  const structs = {};
  for (const file of readdirSync(folder)) {
    if (!file.endsWith('.go') || /^(?:zz_)?generated|_test\.go$/.test(file)) continue;
    Object.assign(structs, readStructs(readFileSync(join(folder, file), 'utf8')));
  }
  const proto = readFileSync(join(folder, 'generated.proto'), 'utf8');
  if (!existsSync(join(folder, 'generated.pb.go'))) throw new Error(`${path} has no generated encoding`);
  return {
    group,
    version,
    /** Dots instead of slashes, and no dashes, as in the proto files. */
    name: path.replaceAll('/', '.').replaceAll('-', '_'),
    messages: readMessages(proto),
    structs,
  };
}

/** Returns the fields of each message: `{ number, label, type }`. */
function readMessages(proto) {
  const messages = {};
  for (const [, name, body] of proto.matchAll(/^message (\w+) \{\n(.*?)^\}/gms)) {
    messages[name] = [
      ...body.matchAll(/^ {2}(optional|repeated|required|map<string,) ([\w.]+)>? (\w+) = (\d+);/gm),
    ].map(([, label, type, , number]) => ({ label, type, number: Number(number) }));
  }
  return messages;
}

/**
 * Returns the facts of each Go struct that the encoding depends on, by number of the field. A struct that is defined as
 * one of `metav1` is the name of that one.
 */
function readStructs(source) {
  const structs = {};
  for (const [, name, body] of source.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)) {
    const fields = {};
    for (const [, goType, tags] of body.matchAll(/^\t(?:\w+ +)?(\S+) +`(.*)`/gm)) {
      const number = /protobuf:"\w+,(\d+)/.exec(tags)?.[1];
      if (number === undefined) continue;
      const [json, ...options] = (/json:"([^"]*)"/.exec(tags)?.[1] ?? '').split(',');
      fields[number] = { json, options, pointer: goType.startsWith('*') };
    }
    structs[name] = fields;
  }
  for (const [, name, target] of source.matchAll(/^type (\w+) metav1\.(\w+)$/gm)) structs[name] = target;
  return structs;
}

/** Returns a section of the table. Its notation is described in the file that {@link moduleOf} writes. */
function notationOf(section, sections) {
  const { group, version, messages, structs } = section;
  let text = `@${group === '' ? version : `${group}/${version}`}\n`;
  for (const [name, fields] of Object.entries(messages)) {
    if (isCoded(section, name)) continue;
    const sorted = fields.toSorted((a, b) => a.number - b.number);
    const parts = sorted.map((field) => {
      const type = codeOf(field.type, section, sections);
      const many = { repeated: '*', 'map<string,': '%' }[field.label] ?? '';
      const struct = typeof structs[name] === 'string' ? sections[0].structs[structs[name]] : structs[name];
      if (!struct) {
        // A Go slice with a name of its own.
        if (fields.length !== 1 || field.label !== 'repeated') throw new Error(`no Go struct of ${name}`);
        return `=${field.number}${many}${type}`;
      }
      const go = struct[field.number];
      if (!go) throw new Error(`no Go field of ${name}, field ${field.number}`);
      const { json, options, pointer } = go;
      const inline = options.includes('inline') ? '~' : '';
      const optional = pointer ? '?' : '';
      const present = options.includes('omitempty') || inline ? '' : '!';
      const zero = options.includes('omitzero') ? '0' : '';
      return `${json}:${field.number}${inline}${optional}${present}${zero && '^'}${many}${type}`;
    });
    text += `${name}${ALTERNATIVES.has(name) ? '|' : ''} ${parts.join(' ')}`.trimEnd();
    text += '\n';
  }
  return text;
}

function isCoded({ name }, message) {
  return CODES[`${name}.${message}`] !== undefined;
}

function codeOf(type, section, sections) {
  const qualified = type.startsWith('.') ? type.slice(1) : type;
  const code = CODES[qualified] ?? CODES[`${section.name}.${qualified}`];
  if (code !== undefined) return code;
  if (section.messages[qualified]) return `.${qualified}`;
  const index = sections.findIndex(({ name }) => qualified.startsWith(`${name}.`));
  if (index < 0) throw new Error(`unknown type ${type}`);
  return `/${index}.${qualified.slice(sections[index].name.length + 1)}`;
}

function moduleOf(notation) {
  return `/* Generated by scripts/protobuf-table.mjs. Do not edit. */

/**
 * Messages of Kubernetes' protobuf encoding, from the \`generated.proto\` and \`types.go\` files of these Go modules, at
 * ${VERSION}: ${Object.keys(PACKAGES).join(', ')}.
 *
 * A line \`@apps/v1\` begins the messages of a group version. Each further line is a message: its name and its fields, in
 * the order of their numbers. A \`|\` after the name marks a message that has a JSON form of its own. A field is
 * \`json-name:number\`, flags, and a type:
 *
 * - \`~\` its fields are those of the surrounding JSON object; \`?\` a pointer in Go; \`!\` in JSON even if empty; \`^\` left out
 *   of JSON if zero; \`*\` a list; \`%\` a map with strings as keys. A field that starts with \`=\` makes the whole message a
 *   list in JSON.
 * - \`s\` string, \`y\` bytes, \`b\` bool, \`i\` int32, \`l\` int64, \`d\` double, \`Q\` Quantity, \`I\` IntOrString, \`R\` JSON as bytes,
 *   \`T\` Time, \`M\` MicroTime, \`.Name\` a message of the same group version, \`/3.Name\` one of the group version at index 3.
 */
// prettier-ignore
export const messageTable = \`
${notation}\`;
`;
}

/** Returns a module with the object that the decoder of the server makes of a message without fields, by kind. */
async function emptyObjectsOf(table) {
  const { Messages } = await import(new URL('protobuf/messages.ts', SOURCE).href);
  const { decodeMessage } = await import(new URL('protobuf/decode.ts', SOURCE).href);
  const lines = [];
  let current;
  for (const { apiVersion, message } of new Messages(table).kinds()) {
    if (apiVersion === 'meta.k8s.io/v1' || message.name.endsWith('List')) continue;
    if (apiVersion !== current) lines.push(`@${apiVersion}`);
    current = apiVersion;
    lines.push(`${message.name} ${JSON.stringify(decodeMessage(message, Buffer.alloc(0)))}`);
  }
  return `/* Generated by scripts/protobuf-table.mjs. Do not edit. */

/**
 * The JSON that Go writes for an empty object of each built-in kind. A line \`@apps/v1\` begins the kinds of a group version.
 */
// prettier-ignore
export const emptyObjects = \`
${lines.join('\n')}
\`;
`;
}

await main();
