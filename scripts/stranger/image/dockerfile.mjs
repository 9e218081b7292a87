// Reads the last stage of a Dockerfile: what an image of it holds beside the base, and how it runs.
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';

/**
 * @typedef {object} Image
 * @property {{from: string, to: string}[]} files Paths in the directory of the Dockerfile, and in the image.
 * @property {{uid: number, gid: number}} user
 * @property {string} directory Working directory.
 * @property {Record<string, string>} env
 * @property {string[]} args Arguments of the entry point, which is Node.js.
 */

/**
 * @param {string} file
 * @returns {Image}
 * @throws {Error} if the Dockerfile has an instruction that this function does not know.
 */
export function readImage(file) {
  const stages = stagesOf(file);
  const last = stages.at(-1);
  /** @type {Image} */
  const image = { files: [], user: { uid: 0, gid: 0 }, directory: '/', env: {}, args: [] };
  for (const { name, text } of last.instructions) {
    switch (name) {
      case 'COPY':
        image.files.push(...copies(text, stages));
        break;
      case 'USER': {
        const [uid, gid = uid] = text.split(':').map(Number);
        if (!Number.isInteger(uid) || !Number.isInteger(gid)) throw new Error(`USER ${text}: expected numbers`);
        image.user = { uid, gid };
        break;
      }
      case 'WORKDIR':
        image.directory = text;
        break;
      case 'ENV':
        Object.assign(image.env, Object.fromEntries(text.split(/\s+/u).map((pair) => pair.split(/[=](.*)/su, 2))));
        break;
      case 'CMD':
        image.args = JSON.parse(text);
        break;
      default:
        throw new Error(`${file}: ${name} ${text}: the check of the image does not know this instruction`);
    }
  }
  return image;
}

function stagesOf(file) {
  const lines = readFileSync(file, 'utf8').replaceAll(/\\\n/gu, ' ').split('\n');
  const stages = [];
  for (const line of lines) {
    const [, name, text = ''] = /^\s*([A-Za-z]+)\s+(.*?)\s*$/u.exec(line) ?? [];
    if (name === undefined) continue;
    if (name.toUpperCase() !== 'FROM') stages.at(-1).instructions.push({ name: name.toUpperCase(), text });
    else stages.push({ name: /\sas\s+(\S+)$/iu.exec(text)?.[1], instructions: [] });
  }
  return stages;
}

/** Returns what a COPY takes from a stage that has the project in its working directory. */
function copies(text, stages) {
  const [option, ...paths] = text.split(/\s+/u);
  const stage = stages.find(({ name }) => option === `--from=${name}`);
  if (stage === undefined) throw new Error(`COPY ${text}: expected --from=STAGE`);
  const { text: project } = stage.instructions.find(({ name }) => name === 'WORKDIR');
  const target = paths.pop();
  return paths.map((path) => {
    const from = posix.relative(project, path);
    if (from.startsWith('..')) throw new Error(`COPY ${text}: ${path} is not in ${project}`);
    return { from, to: target.endsWith('/') ? posix.join(target, posix.basename(path)) : target };
  });
}
