import process from 'node:process';
import { createControlPlane } from '@mcr/envtest';
import { writeAnswers } from './answers.ts';
import { type ScriptName, scripts } from './scripts.ts';

/**
 * Records what kube-apiserver answers to some scripts, by default to all. Run it again when a script changes:
 *
 *     KUBEBUILDER_ASSETS=… node --conditions=@mcr/source judge/src/scripts/record.ts [NAME]…
 */

const known = Object.keys(scripts) as ScriptName[];
const names = process.argv.slice(2);
const wrong = names.find((name) => !known.some((other) => other === name));
if (wrong !== undefined) throw new TypeError(`${wrong}: unknown script: use ${known.join(', ')}`);

for (const name of known.filter((each) => names.length === 0 || names.includes(each))) {
  await using controlPlane = await createControlPlane({ backend: 'binaries' });
  const facts = await scripts[name](controlPlane.config);
  await writeAnswers(name, facts);
  console.log(`${name}: ${facts.length} answers`);
}
