// Runs a project as the kubelet runs its image: with exactly its files, which cannot be written, as its user, with the
// environment and arguments of its Deployment.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { readImage } from './dockerfile.mjs';

/** Path of Node.js in the base image, which is its entry point. */
const NODE = '/nodejs/bin/node';

/** The file system of an image. */
export class ImageRoot {
  /**
   * @param {string} project
   * @param {string} root Directory for the files, which must not exist.
   * @param {string} node
   */
  constructor(project, root, node) {
    this.root = root;
    this.image = readImage(join(project, 'Dockerfile'));
    for (const { from, to } of this.image.files) this.#add(join(project, from), to);
    this.#add(node, NODE);
    mkdirSync(join(root, this.image.directory), { recursive: true });
    this.#setMode(0o555);
  }

  /** Size of the files that the image adds to its base, in bytes. */
  get size() {
    return this.image.files.reduce((sum, { to }) => sum + statSync(join(this.root, to)).size, 0);
  }

  /** Path of a file of the image on this machine. Texts that are not paths of a file remain. */
  locate(text) {
    const isFile = text === NODE || this.image.files.some(({ to }) => to === text);
    return isFile ? join(this.root, text) : text;
  }

  /** Lets the files be deleted. */
  [Symbol.dispose]() {
    this.#setMode(0o755);
  }

  #add(from, to) {
    const file = join(this.root, to);
    mkdirSync(dirname(file), { recursive: true });
    copyFileSync(from, file);
  }

  #setMode(mode) {
    const below = readdirSync(this.root, { recursive: true }).map((path) => join(this.root, path));
    for (const path of [this.root, ...below]) chmodSync(path, mode);
  }
}

/** The container of a Deployment. */
export class Pod {
  /**
   * @param {ImageRoot} files
   * @param {object} deployment
   * @param {Record<string, string>} env Variables beside those of the image and the Deployment.
   */
  constructor(files, deployment, env) {
    const { spec } = deployment.spec.template;
    const [container] = spec.containers;
    this.container = container;
    this.gracePeriod = spec.terminationGracePeriodSeconds * 1000;
    const { image } = files;
    const own = (container.env ?? []).map(({ name, value }) => [name, value]);
    if (own.some(([, value]) => value === undefined)) throw new Error('the check knows only variables with a value');
    // Nothing of this process: no PATH, no HOME. The directory for temporary files cannot be written.
    this.env = { TMPDIR: files.root, ...env, ...image.env, ...Object.fromEntries(own) };
    const argv = [...(container.command ?? [NODE]), ...(container.args ?? image.args)];
    const [program, ...args] = argv.map((text) => files.locate(text));
    this.log = '';
    this.started = Date.now();
    this.process = spawn(program, args, {
      cwd: join(files.root, image.directory),
      env: this.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      // Other users than root cannot choose the user of a process.
      ...(process.getuid?.() === 0 && image.user),
    });
    this.ended = once(this.process, 'close');
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => void (this.log += text));
    }
  }

  /** Calls a probe of the container. @returns whether it passes. */
  async probe(name) {
    const { path, port } = this.container[name].httpGet;
    const { containerPort } = this.container.ports.find((each) => each.name === port);
    return this.serves(`http://127.0.0.1:${containerPort}${path}`);
  }

  /** Requests a page. @returns whether it is there. */
  async serves(url) {
    const response = await fetch(url, { signal: AbortSignal.timeout(5_000) });
    await response.arrayBuffer();
    return response.status === 200;
  }

  /** Time of processors that the program has used, in milliseconds. Undefined where the system does not tell. */
  get processorTime() {
    if (process.platform !== 'linux') return undefined;
    const fields = readFileSync(`/proc/${this.process.pid}/stat`, 'utf8').split(') ')[1].split(' ');
    // utime and stime, in ticks of 10 ms.
    return (Number(fields[11]) + Number(fields[12])) * 10;
  }

  /** Stops the program as the kubelet does. @throws {Error} unless it ends in time with exit code 0. */
  async stop() {
    const kill = setTimeout(() => this.process.kill('SIGKILL'), this.gracePeriod);
    this.process.kill('SIGTERM');
    const [code, signal] = await this.ended;
    clearTimeout(kill);
    if (code !== 0) throw new Error(`the program ended with ${code ?? signal}:\n${this.log}`);
  }

  /** Kills the program if it runs. */
  async [Symbol.asyncDispose]() {
    this.process.kill('SIGKILL');
    await this.ended;
  }
}
