import type { FieldError } from '../../../status.ts';
import { forbiddenField } from '../../../status.ts';
import { listAt } from '../../cells.ts';
import { valueAt } from '../../resource-type.ts';
import { at, between } from '../rules.ts';

const MAIN = 'containerStatuses';
const INIT = 'initContainerStatuses';
const EPHEMERAL = 'ephemeralContainerStatuses';

/** A container that has terminated and does not restart stays terminated (upstream: `Validate…StateTransition`). */
export function restartErrors(pod: unknown, previous: unknown): FieldError[] {
  const spec = valueAt(previous, 'spec');
  return [
    ...transitionErrors(MAIN, { pod, previous }, (status) => restarts(spec, 'containers', status)),
    ...transitionErrors(INIT, { pod, previous }, (status) => restarts(spec, 'initContainers', status)),
    ...transitionErrors(EPHEMERAL, { pod, previous }, () => false),
  ];
}

interface Pods {
  readonly pod: unknown;
  readonly previous: unknown;
}

function transitionErrors(
  list: string,
  { pod, previous }: Pods,
  restarted: (status: unknown) => boolean,
): FieldError[] {
  const statuses = listAt(pod, `status.${list}`);
  const isTerminated = (status: unknown): boolean => valueAt(status, 'state.terminated') !== undefined;
  return listAt(previous, `status.${list}`).flatMap((status, index) => {
    const name = valueAt(status, 'name');
    const isRevived = statuses.some((each) => valueAt(each, 'name') === name && !isTerminated(each));
    if (!isTerminated(status) || !isRevived || restarted(status)) return [];
    return [forbiddenField(`status.${list}[${index}].state`, 'may not be transitioned to non-terminated state')];
  });
}

/** Reports whether a terminated container restarts (upstream: `ContainerShouldRestart`). */
function restarts(spec: unknown, list: string, status: unknown): boolean {
  const name = valueAt(status, 'name');
  const code = Number(valueAt(status, 'state.terminated.exitCode') ?? 0);
  const container = listAt(spec, list).find((each) => valueAt(each, 'name') === name);
  if (container === undefined) return false;
  const own = valueAt(container, 'restartPolicy');
  if (own !== undefined && hasRestartRule(container, code)) return true;
  switch (own ?? valueAt(spec, 'restartPolicy')) {
    case 'OnFailure':
      return code !== 0;
    case 'Never':
      return false;
    default:
      return true;
  }
}

/** Reports whether the first rule that matches an exit code restarts the container. */
function hasRestartRule(container: unknown, code: number): boolean {
  const rule = listAt(container, 'restartPolicyRules').find((each) => {
    const isListed = listAt(each, 'exitCodes.values').includes(code);
    const operator = valueAt(each, 'exitCodes.operator');
    return (operator === 'In' && isListed) || (operator === 'NotIn' && !isListed);
  });
  return valueAt(rule, 'action') === 'Restart';
}

/** Validates the users that the containers of a Pod run as (upstream: `validateContainerStatusUsers`). */
export function userErrors(pod: unknown): FieldError[] {
  return [MAIN, INIT, EPHEMERAL].flatMap((list) => usersErrors(list, pod));
}

function usersErrors(list: string, pod: unknown): FieldError[] {
  const system = valueAt(pod, 'spec.os.name') ?? 'linux';
  return listAt(pod, `status.${list}`).flatMap((status, index) => {
    const field = `status.${list}[${index}].user.linux`;
    const user = valueAt(status, 'user.linux');
    if (user === undefined) return [];
    if (system === 'windows') return [forbiddenField(field, 'cannot be set for a windows pod')];
    return [
      ...between(at(user, field, 'uid'), 0),
      ...between(at(user, field, 'gid'), 0),
      ...listAt(user, 'supplementalGroups').flatMap((group, position) =>
        between([`${field}.supplementalGroups[${position}]`, group], 0),
      ),
    ];
  });
}
