import type { ClusterConfig } from './cluster-config.ts';
import { checkParseArguments, clusterConfigOf, type ParseKubeconfigOptions } from './kubeconfig.ts';
import { readKubeconfigDocument } from './kubeconfig-document.ts';
import { KubeconfigError } from './kubeconfig-error.ts';

/**
 * Parses every context of a kubeconfig. Returns a config for each name of a context, or an error if that context is not
 * valid; the other contexts are not affected. (Upstream: client-go `tools/clientcmd`.)
 *
 * @throws {KubeconfigError} if the text is not a kubeconfig.
 */
export function parseKubeconfigContexts(
  text: string,
  options: Omit<ParseKubeconfigOptions, 'context'>,
): ReadonlyMap<string, ClusterConfig | KubeconfigError> {
  checkParseArguments('parseKubeconfigContexts', text, options);
  const document = readKubeconfigDocument(text, options);
  const configOf = (context: string): ClusterConfig | KubeconfigError => {
    try {
      return clusterConfigOf(document, { ...options, context });
    } catch (error) {
      if (error instanceof KubeconfigError) return error;
      throw error;
    }
  };
  return new Map([...document.contexts.keys()].map((context) => [context, configOf(context)]));
}
