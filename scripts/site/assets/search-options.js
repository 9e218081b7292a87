// Options of the search index, for the script that writes it and for the page that reads it.

/** `createManager` is found as `createmanager`, `create` and `manager`. */
function indexTerms(term) {
  const parts = term.split(/(?<=[a-z\d])(?=[A-Z])/u);
  return [...new Set([term, ...parts].map((part) => part.toLowerCase()))];
}

/** @type {import('minisearch').Options} */
export const searchOptions = {
  idField: 'url',
  fields: ['title', 'heading', 'text'],
  storeFields: ['title', 'heading', 'excerpt'],
  processTerm: indexTerms,
  searchOptions: {
    boost: { title: 4, heading: 3 },
    combineWith: 'AND',
    fuzzy: (term) => (term.length > 5 ? 0.15 : false),
    prefix: true,
    processTerm: (term) => term.toLowerCase(),
  },
};
