/**
 * @typedef {'comment' | 'title' | 'error' | 'log' | 'help' | 'string' | 'heading' | 'paragraph'} TextKind
 *   `title` is a test title without its ids, `help` the HELP of a metric, `string` any other literal of several words,
 *   and `heading` and `paragraph` belong to Markdown.
 *
 * @typedef {object} Rule
 * @property {readonly TextKind[]} kinds Texts that the rule applies to.
 * @property {(text: string) => Iterable<{ index: number, 0: string }>} find Returns the matches in a text.
 * @property {string} advice What to write instead.
 * @property {readonly string[]} bad Examples that the rule refuses. The tests read them.
 * @property {string} good An example that it accepts.
 */

const OPENINGS = ['comment', 'title', 'heading'];
const CODE_TEXTS = ['comment', 'title', 'error', 'log', 'help', 'string'];
const EVERY_TEXT = [...CODE_TEXTS, 'heading', 'paragraph'];
const LONGEST_SENTENCE = 40;

/** @type {readonly Rule[]} */
export const rules = [
  opening('Of|By|As', OPENINGS, 'start with a verb in the third person or with a noun phrase', {
    bad: ['Of a request: its deadline.', 'By which name it is found.', 'As {@link readJson}, of a list.'],
    good: 'Like {@link readJson}, for a list.',
  }),
  opening(
    'Those|Whoever|Who|Whose|In whose|One who|So many|How often is|What',
    [...OPENINGS, 'paragraph'],
    'name the subject',
    {
      bad: [
        'Those that wait.',
        'Who sends the request.',
        'In whose name it is sent.',
        'How often is looked.',
        'What says who asks.',
      ],
      good: 'Requests that wait.',
    },
  ),
  phrase(/\banew\b/u, 'write "again", or a verb with "re-"', {
    bad: ['lists everything anew'],
    good: 'lists everything again',
  }),
  phrase(
    /(?<!\bthere )\b(?:is|are|was|were|be|been) no (?!(?:longer|later|earlier|(?:more|less|fewer|other|different|\w+er) than)\b)\w+/u,
    'write "is not a ...", "has no ..." or "no longer exists"',
    {
      bad: ['the key is no name', 'the object is no more'],
      good: 'there is no name; it is no longer used, and is no older than a minute',
    },
  ),
  phrase(/\b(?:stop|stops|stopped|stopping) to\b/u, 'write "stops ...ing": "stops to answer" means the opposite', {
    bad: ['it stopped to answer'],
    good: 'it stopped answering',
  }),
  phrase(/\b(?:tell|tells|told|telling) of\b/u, 'write "notify" or "report"', {
    bad: ['a change is told of'],
    good: 'a change is reported',
  }),
  phrase(
    /\b(?:stand|stands|stood) (?:in|there|on|at|beside|behind|before|above|below|under|after)\b/u,
    'write "is" or "exists"',
    {
      bad: ['the name that stands in the Secret'],
      good: 'the name in the Secret; a stand-in for Kind',
    },
  ),
  phrase(
    /\b(?:whoever|whosoever|somebody|nobody)\b/u,
    'name the subject: "the caller", "the server", "a user", "no caller"',
    {
      bad: ['Ask whoever created it', 'nobody reads it'],
      good: 'no caller reads it',
    },
  ),
  phrase(/\b(?:those|what) there (?:is|are|was|were)\b|\bthat there were\b/u, 'name what exists', {
    bad: ['does not accept those there were', 'the credentials that there were'],
    good: 'does not accept the previous credentials',
  }),
  phrase(/\bthere (?:is|are|was|were) to be\b/u, 'write "must exist" or "is expected"', {
    bad: ['there are to be two of them'],
    good: 'two of them must exist',
  }),
  phrase(/\bof (?:which|whom)\b/u, 'start a new sentence, or write "whose"', {
    bad: ['a list of which the last page is missing'],
    good: 'a list whose last page is missing',
  }),
  phrase(/\bso many\b/u, 'write "a few", "many", or the number', {
    bad: ['after so many failures'],
    good: 'after five consecutive failures',
  }),
  phrase(/\bas (?:it is|it was|they are|they were)(?= *(?:[.,;:)]|$))/u, 'write "as is" or "unchanged"', {
    bad: ['the reason is passed on as it is.', 'stays as they were'],
    good: 'passed on as is, as it is already validated',
  }),
  phrase(/\bfor the reason that\b/u, 'write "because"', {
    bad: ['for the reason that it failed'],
    good: 'because it failed',
  }),
  phrase(/\b(?:look|looks|looked) whether\b/u, 'write "checks whether"', {
    bad: ['looks whether it exists'],
    good: 'checks whether it exists',
  }),
  {
    kinds: ['error', 'log'],
    find: (text) => text.matchAll(/^(?!Kubernetes |Jest |Kind )[A-Z][a-z]+(?=[ ,])/gu),
    advice: 'begin with a lower-case letter',
    bad: ['The name is empty'],
    good: 'Kubernetes 1.35 or later is required',
  },
  {
    kinds: ['error', 'log', 'title'],
    find: (text) => text.matchAll(/(?<!\.)\.$/gu),
    advice: 'remove the full stop',
    bad: ['the name is empty.'],
    good: 'waiting for the server ...',
  },
  {
    kinds: ['help'],
    find: (text) => text.matchAll(/^[^A-Z].*$|^.*[^.]$/gsu),
    advice: 'begin with a capital and end with a full stop, as "Total number of requests."',
    bad: ['Requests by code', 'requests by code.'],
    good: 'Total number of requests by code.',
  },
  {
    kinds: ['paragraph'],
    find: (text) => sentencesOf(text).filter(([sentence]) => sentence.split(/\s+/u).length > LONGEST_SENTENCE),
    advice: `split it: a sentence has at most ${LONGEST_SENTENCE} words`,
    bad: [`It is ${'very '.repeat(LONGEST_SENTENCE)}long.`],
    good: `It is ${'very '.repeat(30)}long. It is ${'very '.repeat(30)}long.`,
  },
];

/** A rule against words at the beginning of a text. */
function opening(words, kinds, advice, examples) {
  const pattern = new RegExp(`^(?:${spaced(words)})\\b`, 'giu');
  return { kinds, find: (text) => text.matchAll(pattern), advice, ...examples };
}

/** A rule against words anywhere in a text, also across lines. */
function phrase({ source }, advice, examples) {
  const pattern = new RegExp(spaced(source), 'giu');
  return { kinds: EVERY_TEXT, find: (text) => text.matchAll(pattern), advice, ...examples };
}

/** Lets a space in a pattern match any white space, line breaks included. */
function spaced(pattern) {
  return pattern.replaceAll(' ', '\\s+').replaceAll('\\s+*', '\\s*');
}

/** Splits at full stops, question marks and exclamation marks that a capital or the end follows. */
function sentencesOf(text) {
  return [...text.matchAll(/\S.*?(?:[.?!][)"*_]*(?=\s+["(*_]*[A-Z\d])|$)/gsu)];
}
