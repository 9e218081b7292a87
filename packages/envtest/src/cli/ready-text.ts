import type { WrittenKubeconfigs } from './kubeconfigs.ts';

export interface ReadyStyle {
  /** Whether the output is a terminal that shows bold text. */
  readonly bold: boolean;
}

/** Returns the table of the clusters, and the next step. */
export function readyText({ clusters, all }: WrittenKubeconfigs, { bold }: ReadyStyle): string {
  const rows = [
    ['CLUSTER', 'SERVER', 'KUBECONFIG'],
    ...clusters.map(({ name, server, kubeconfig }) => [name, server, kubeconfig]),
  ];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  const strong = (text: string): string => (bold ? `\u001b[1m${text}\u001b[0m` : text);
  const [header = '', ...table] = lines;
  const last = clusters.at(-1)?.name ?? 'hub';
  return [
    strong(header),
    ...table,
    '',
    `All contexts: ${all}`,
    `Next:         ${strong(`KUBECONFIG=${all} kubectl --context ${last} get ns`)}`,
    'Stop:         Ctrl-C',
    '',
  ].join('\n');
}

/** Returns the same as one line of JSON. */
export function readyJson({ clusters, all }: WrittenKubeconfigs): string {
  return `${JSON.stringify({ clusters, kubeconfig: all })}\n`;
}
