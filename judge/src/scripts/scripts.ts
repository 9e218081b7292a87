import type { ClusterConfig } from '@mcr/client';
import { admission } from './admission/admission.ts';
import { apply } from './apply/apply.ts';
import { changes } from './changes/changes.ts';
import { corners } from './corners/corners.ts';
import { kinds } from './kinds/kinds.ts';
import { protocol } from './protocol/protocol.ts';
import { schemas } from './schemas/schemas.ts';
import { statuses } from './statuses/statuses.ts';

/** Sends the requests of a script to a new control plane, and returns what it answers, as `JSON.parse` would. */
export type Script = (config: ClusterConfig) => Promise<readonly unknown[]>;

/** Scripts by name. `answers/NAME.ndjson` has what kube-apiserver answered. */
export const scripts = {
  protocol,
  apply,
  kinds,
  changes,
  statuses,
  schemas,
  admission,
  corners,
} as const satisfies Record<string, Script>;

export type ScriptName = keyof typeof scripts;
