// Starts the longest suites first, so that none of them runs alone at the end. Jest knows the duration of a suite that this
// clone has run; otherwise it orders suites by the sizes of their files, which says nothing of the ones below.
import Sequencer from '@jest/test-sequencer';

/** Suites that take more than 15 s on two cores, the longest first. */
export const LONG_SUITES = [
  'packages/provider-conformance/src/wrong-providers.test.ts',
  'packages/client/src/store/give-back.test.ts',
  'packages/provider-kind/src/conformance.test.ts',
  'packages/provider-inventory/src/conformance.test.ts',
  'packages/provider-capi/src/conformance.test.ts',
  'packages/provider-kubeconfig/src/conformance.test.ts',
  'packages/provider-inventory/src/exec-conformance.test.ts',
  'packages/provider-file/src/conformance.test.ts',
  'packages/provider-conformance/src/conformance.test.ts',
  'packages/core/src/reader/fleet-watch-leak.test.ts',
  'packages/core/src/sharding/membership/simulation.test.ts',
  'packages/client/src/packed/corpus.test.ts',
  'packages/core/src/manager/heap.test.ts',
  'judge/src/transcript.test.ts',
  'judge/src/scripts/scripts.test.ts',
  'packages/provider-multi/src/conformance.test.ts',
  'packages/provider-kubeconfig/src/mcr-kubeconfig-secret.test.ts',
  'packages/client/src/store/packed-store.model.test.ts',
  'packages/cli/src/dev/run-dev.test.ts',
  'scripts/programs.test.mjs',
  'packages/core/src/sharding/shard-member.test.ts',
  'packages/core/src/sharding/cluster-ownership.test.ts',
  'scripts/api-reports.test.mjs',
  'bench/src/main.test.ts',
];

export default class extends Sequencer {
  sort(tests) {
    const rankOf = (test) => {
      const rank = this.time(test) === undefined ? LONG_SUITES.findIndex((suite) => test.path.endsWith(suite)) : -1;
      return rank < 0 ? LONG_SUITES.length : rank;
    };
    return super.sort(tests).sort((a, b) => rankOf(a) - rankOf(b));
  }
}
