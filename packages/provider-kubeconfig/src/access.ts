/* Adding clusters to a fleet, and removing them. The commands `mcr fleet add` and `mcr-kubeconfig-secret` use it. */
export { deleteHubSecret, type HubSecret, type HubSecretKey, writeHubSecret } from './hub-secret.ts';
export { giveAccess, type MemberAccess, SHORTEST_LIFETIME } from './member-access.ts';
export { memberKubeconfig } from './member-kubeconfig.ts';
export { readRules } from './member-rules.ts';
export { nameProblem } from './secret-name.ts';
export type { AccessStep, StepOptions } from './steps.ts';
export { SECRET_KEY, SECRET_LABEL } from './options.ts';
