import { Job } from '@mcr/core';
import { eventually } from '@mcr/core/testing';
import { newObject } from '@mcr/kinds';
import { CronJob, CronJobV2 } from './cron-job.ts';
import { startCronJobFleet } from './fleet.ts';

/** Deadline for each step, in milliseconds. */
const WITHIN = { deadline: 60_000 };
const say = (line: string) => console.log(line);
const key = { namespace: 'default', name: 'report' };
const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'example.com/report' }] } };

await using fleet = await startCronJobFleet();
say('Three members run on this machine. The third one is on standby.');

const cronJob = newObject(CronJob, {
  metadata: key,
  spec: { schedule: '* * * * *', jobTemplate: { spec: { template } } },
});
for (const { name, client } of fleet.members) {
  // API servers notice webhooks after a moment.
  await eventually(async () => {
    const { spec } = await client.create(CronJob, cronJob, { dryRun: true });
    return spec.suspend !== undefined;
  }, WITHIN);
  const { spec } = await client.create(CronJob, cronJob);
  say(`${name}: the same CronJob was created, and the webhook ${spec.suspend ? 'suspended' : 'did not suspend'} it`);
}

fleet.advance();
for (const { name, client } of fleet.members) {
  await client.patch(CronJob, key, { metadata: { annotations: { note: 'a minute later' } } }, 'merge');
  const expected = name === 'member-3' ? 0 : 1;
  await eventually(
    async () => (await client.list(Job, { namespace: key.namespace })).items.length === expected,
    WITHIN,
  );
  say(`${name}: a minute later, it has ${expected === 1 ? 'a Job' : 'no Job'}`);
}

const [first] = fleet.members;
const read = await first?.client.get(CronJobV2, key);
say(`In version 2, its schedule is ${JSON.stringify(read?.spec.schedule)}.`);
