// The table of contents of the documentation site: topics in the order of the sidebar, each with the sources of its pages.

/** @type {readonly { readonly topic: string, readonly sources: readonly string[] }[]} */
export const CONTENTS = [
  {
    topic: 'Start',
    sources: [
      'README.md',
      'docs/tutorial.md',
      'docs/workbench.md',
      'docs/cronjob.md',
      'docs/migrating-from-go.md',
      'docs/runtimes.md',
    ],
  },
  {
    topic: 'Concepts',
    sources: [
      'docs/reconcile-loop.md',
      'docs/manager.md',
      'docs/fleet.md',
      'docs/providers.md',
      'docs/sharding.md',
      'docs/glossary.md',
    ],
  },
  {
    topic: 'Guides',
    sources: [
      'docs/client.md',
      'docs/kinds.md',
      'docs/webhooks.md',
      'docs/clusters.md',
      'docs/custom-providers.md',
      'docs/envtest.md',
      'docs/bundling.md',
    ],
  },
  {
    topic: 'Operations',
    sources: [
      'docs/deployment.md',
      'docs/upgrades.md',
      'docs/security.md',
      'docs/metrics.md',
      'docs/dashboard.md',
      'docs/faults.md',
      'SECURITY.md',
    ],
  },
  {
    topic: 'Reference',
    sources: ['api/README.md', 'packages/README.md', 'docs/behaviours.md', 'docs/decisions/README.md'],
  },
];

/**
 * Throws if a document is not in the table.
 *
 * @param {readonly string[]} documents Paths of the files in docs/.
 */
export function checkContents(documents) {
  const listed = new Set(CONTENTS.flatMap(({ sources }) => sources));
  const missing = documents.filter((document) => !listed.has(document));
  if (missing.length === 0) return;
  throw new Error(
    `documents without a place in the sidebar: ${missing.join(', ')}: add them to scripts/site/contents.mjs`,
  );
}
