// Runs a created project as its image would run, in a hub and members with exactly the permissions in its manifests.
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { ClusterRole, ConfigMap, createClient, defineKind, Lease, Secret } from '@mcr/core';
import { startGeneratedFleet } from './generated-fleet.mjs';
import { ImageRoot, Pod } from './pod.mjs';

/** Deadline of each step, in milliseconds. */
const DEADLINE = 120_000;
/** Largest size of the files that an image adds to its base, in bytes. */
const LARGEST = 60_000_000;
/** Largest processor time until the program is alive, in milliseconds. It varies less than the time itself. */
const LONGEST_START = 900;

const [project, deploy, node, scratch] = process.argv.slice(2);
const Greeting = defineKind({ apiVersion: 'demo.example.com/v1', kind: 'Greeting' });

const keyOf = (name) => ({ namespace: 'default', name });
const greet = (client, name) => client.create(Greeting, { metadata: keyOf(name), spec: { recipient: 'world' } });
const greetingOf = (client, name) => client.get(Greeting, keyOf(name));
const textOf = async (client, name) => (await client.find(ConfigMap, keyOf(name)))?.data?.text;

mkdirSync(scratch, { mode: 0o711 });
using image = new ImageRoot(project, join(scratch, 'root'), node);
if (image.size > LARGEST) throw new Error(`the image adds ${image.size} bytes to its base: at most ${LARGEST}`);

const { fleet, deployment, account, kubeconfig } = await startGeneratedFleet(deploy, { members: 2 });
const stopping = new AsyncDisposableStack();
stopping.defer(() => fleet.stop());
const hub = stopping.use(createClient(fleet.hub.config));
const members = fleet.members.map(({ config }) => stopping.use(createClient(config)));
try {
  const file = join(scratch, 'kubeconfig');
  writeFileSync(file, kubeconfig, { mode: 0o400 });
  if (process.getuid?.() === 0) chownSync(file, image.image.user.uid, image.image.user.gid);
  // Both stand for the files of the ServiceAccount, which a Pod has at a fixed path.
  const env = { KUBECONFIG: file, POD_NAMESPACE: account.namespace };
  await runsWithGeneratedPermissions(env);
  await namesMissingPermission(env);
} finally {
  await stopping.disposeAsync();
}

/** The program reconciles, its webhooks answer, and it stops in time. */
async function runsWithGeneratedPermissions(env) {
  await using pod = new Pod(image, deployment, env);
  await eventually(pod, 'the liveness probe', () => pod.probe('livenessProbe'), 5);
  const [time, used] = [Date.now() - pod.started, pod.processorTime];
  console.log(`started in ${time} ms, with ${used} ms of processor time; ${(image.size / 1e6).toFixed(1)} MB`);
  if (used > LONGEST_START) throw new Error(`the start took ${used} ms of processor time: at most ${LONGEST_START}`);
  await eventually(pod, 'the readiness probe', () => pod.probe('readinessProbe'));
  await eventually(pod, 'the metrics', () => pod.serves(`http://${pod.env.METRICS_ADDRESS}/metrics`));
  for (const member of members) {
    await greet(member, 'first');
    await eventually(pod, 'the ConfigMap', async () => (await textOf(member, 'first')) === 'Hello, world');
    await eventually(
      pod,
      'the status',
      async () => (await greetingOf(member, 'first')).status?.text === 'Hello, world',
    );
    await eventually(pod, 'a refusal by the webhook', () => refusesAnotherRecipient(member));
  }
  const { spec } = await hub.get(Lease, account);
  if (!spec.holderIdentity) throw new Error(`the Lease has no holder: ${JSON.stringify(spec)}`);
  await hub.get(Secret, { namespace: account.namespace, name: 'webhook-certificate' });
  await pod.stop();
  const refused = /^.*(?:forbidden|cannot (?:get|list|watch|create|update|patch|delete)).*$/mu.exec(pod.log);
  if (refused) throw new Error(`the generated permissions are not enough: ${refused[0]}`);
  if ((await hub.get(Lease, account)).spec.holderIdentity) throw new Error('the program has not released its Lease');
}

/** Without one rule, the log says which verb and resource are missing. */
async function namesMissingPermission(env) {
  const [member] = members;
  const role = await member.get(ClusterRole, { name: account.name });
  const rules = role.rules.filter(({ resources }) => !resources.includes('greetings/status'));
  if (rules.length !== role.rules.length - 1) throw new Error('expected one rule for greetings/status');
  await member.update(ClusterRole, { ...role, rules });
  await using pod = new Pod(image, deployment, env);
  await greet(member, 'second');
  const message = 'cannot patch resource \\"greetings/status\\" in API group \\"demo.example.com\\"';
  await eventually(pod, `${message} in the log`, () => pod.log.includes(message));
  if ((await textOf(member, 'second')) !== 'Hello, world') throw new Error('the other permissions have no effect');
}

/** Until the webhook is installed, each try changes the object. */
async function refusesAnotherRecipient(member) {
  const recipient = `recipient-${Date.now()}`;
  try {
    await member.patch(Greeting, keyOf('first'), { spec: { recipient } }, 'merge');
    return false;
  } catch (error) {
    if (error.message.includes('spec.recipient is immutable')) return true;
    throw error;
  }
}

/** Waits for a condition. A condition that throws is not met. */
async function eventually(pod, what, isMet, interval = 100) {
  const end = Date.now() + DEADLINE;
  for (let problem; ; await delay(interval)) {
    try {
      if (await isMet()) return;
    } catch (error) {
      problem = error;
    }
    const { exitCode, signalCode } = pod.process;
    const isOver = exitCode !== null || signalCode !== null;
    if (!isOver && Date.now() < end) continue;
    const reason = isOver ? `the program ended with ${exitCode ?? signalCode}` : `not within ${DEADLINE / 1000} s`;
    throw new Error(`${what}: ${reason}: ${problem?.message ?? 'not yet'}\n${pod.log}`);
  }
}
