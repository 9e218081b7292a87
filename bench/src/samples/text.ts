import type { Random } from './random.ts';

const WORDS = (
  'account alert amber anchor archive asset atlas audit backup badge basket beacon billing binary border branch bridge ' +
  'broker bucket budget cache canary cargo catalog channel checkout cipher cloud cluster coastal cobalt column compass ' +
  'copper counter courier crystal daily data delta depot device digest domain edge engine entry event export fabric ' +
  'falcon feed field filter forge frontier gateway global granite harbor health hollow image import index invoice island ' +
  'ivory journal kernel ladder lambda ledger legacy linear locker logic lunar machine mango marble market matrix media ' +
  'meter mirror mobile module monitor morning native nimbus notice object onyx orbit order osprey packet panel partner ' +
  'payment pepper pilot pipeline planet policy portal prime profile proxy quartz query queue radar record region relay ' +
  'report reserve river router saffron sample schema scout search sensor session shadow shipping signal silver socket ' +
  'spring static station storage stream summit supply switch table tariff tenant ticket timber token topic tracker tunnel ' +
  'upload vault vector velvet vendor violet walnut warden wave willow window winter worker zenith zone'
).split(' ') as [string, ...string[]];

/** Letters of suffixes that Kubernetes generates. */
const SUFFIX = 'bcdfghjklmnpqrstvwxz2456789';
const FOREIGN = ['Zürich', 'Kraków', 'São Paulo', '東京', 'Αθήνα', 'naïve', '✓', '🚀'] as const;

export function word(random: Random): string {
  return random.pick(WORDS);
}

/** Returns a name such as `ledger-quartz-x7k2p`. */
export function slug(random: Random): string {
  return `${word(random)}-${word(random)}-${suffix(random, 5)}`;
}

export function suffix(random: Random, length: number): string {
  let letters = '';
  while (letters.length < length) letters += SUFFIX.charAt(random.below(SUFFIX.length));
  return letters;
}

export function hex(random: Random, digits: number): string {
  return random
    .bytes(Math.ceil(digits / 2))
    .toString('hex')
    .slice(0, digits);
}

export function uid(random: Random): string {
  return `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}`;
}

export function timestamp(random: Random): string {
  return new Date(Date.UTC(2025, 0, 1) + random.below(365 * 86_400) * 1_000).toISOString().replace('.000Z', 'Z');
}

export function base64(random: Random, bytes: number): string {
  return random.bytes(bytes).toString('base64');
}

export function ipAddress(random: Random): string {
  return `10.${random.below(256)}.${random.below(256)}.${random.between(1, 254)}`;
}

/** Returns a sentence, sometimes with quotes, a backslash, or letters outside of ASCII. */
export function sentence(random: Random): string {
  const words = Array.from({ length: random.between(4, 14) }, () => word(random));
  if (random.chance(0.2)) words.push(random.pick(FOREIGN));
  if (random.chance(0.2)) words.push(`"${word(random)}"`);
  if (random.chance(0.05)) words.push(`C:\\${word(random)}`);
  return words.join(' ');
}

/** Returns a configuration file of many lines. */
export function configFile(random: Random, size: number): string {
  const lines: string[] = [];
  for (let length = 0; length < size;) {
    const line = configLine(random);
    lines.push(line);
    length += line.length + 1;
  }
  return `${lines.join('\n')}\n`;
}

function configLine(random: Random): string {
  if (random.chance(0.1)) return `[${word(random)}.${word(random)}]`;
  if (random.chance(0.1)) return `# ${sentence(random)}`;
  const name = `${word(random)}_${word(random)}`;
  if (random.chance(0.3)) return `${name} = ${random.below(100_000)}`;
  if (random.chance(0.2)) return `${name} = "${hex(random, 32)}"`;
  return `${name}\t= "${word(random)}-${suffix(random, 4)}"`;
}
