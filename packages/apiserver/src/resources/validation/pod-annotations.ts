import type { FieldError } from '../../status.ts';
import { forbiddenField, invalidField } from '../../status.ts';
import { jsonFault } from '../../schema/json-fault.ts';
import { listAt } from '../cells.ts';
import { scalarText, valueAt } from '../resource-type.ts';
import { localPathErrors } from './file-path.ts';
import { isEmpty } from './rules.ts';
import { tolerationErrors } from './toleration.ts';
import { NO_TOLERATIONS, tolerationsIn } from './tolerations-in-text.ts';

/** Annotations that configure Pods. */

/** Upstream's text for the path of a whole Pod. */
export const WHOLE = '[]';
export const MIRROR = 'kubernetes.io/config.mirror';
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
export const SECCOMP_POD = 'seccomp.security.alpha.kubernetes.io/pod';
export const SECCOMP_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';
export const APP_ARMOR = 'container.apparmor.security.beta.kubernetes.io/';
const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';
const LOCAL = 'localhost/';
const LARGEST_COST = 2_147_483_647;

type Annotations = Readonly<Record<string, string>>;

/** Validates annotations of a Pod or of a template (upstream: `ValidatePodSpecificAnnotations`). */
export function podAnnotationErrors(field: string, annotations: Annotations, spec: unknown): FieldError[] {
  const [mirror, cost] = [annotations[MIRROR], annotations[DELETION_COST]];
  const isUnplaced = mirror !== undefined && isEmpty(valueAt(spec, 'nodeName'));
  const names = Object.keys(annotations);
  return [
    ...(isUnplaced
      ? [invalidField(`${field}[${MIRROR}]`, mirror, 'must set spec.nodeName if mirror pod annotation is set')]
      : []),
    ...tolerationsErrors(field, annotations[TOLERATIONS]),
    ...(cost === undefined || isCost(cost)
      ? []
      : [invalidField(`${field}[${DELETION_COST}]`, cost, 'must be a 32bit integer')]),
    ...[SECCOMP_POD, ...names.filter((name) => name.startsWith(SECCOMP_CONTAINER))].flatMap((name) =>
      seccompErrors(`${field}.${name}`, annotations[name]),
    ),
    ...names
      .filter((name) => name.startsWith(APP_ARMOR))
      .flatMap((name) => appArmorErrors(field, annotations, name, spec)),
  ];
}

/** Validates tolerations in an annotation. Its fields have the names of the internal type, in any case. */
function tolerationsErrors(field: string, text: string | undefined): FieldError[] {
  if (text === undefined || text === '') return [];
  const fault = jsonFault(text);
  const { tolerations, fault: mistyped } = fault === undefined ? tolerationsIn(JSON.parse(text)) : NO_TOLERATIONS;
  const why = fault ?? mistyped;
  if (why !== undefined) return [invalidField(field, TOLERATIONS, why)];
  return tolerationErrors(`${field}.${TOLERATIONS}`, tolerations);
}

/** Upstream accepts a number without a plus sign, and without leading zeros. */
function isCost(text: string): boolean {
  const value = Number(text);
  return /^(?:0|-?[1-9]\d*)$/u.test(text) && value >= -LARGEST_COST - 1 && value <= LARGEST_COST;
}

function seccompErrors(field: string, profile: string | undefined): FieldError[] {
  if (profile === undefined || ['runtime/default', 'docker/default', 'unconfined'].includes(profile)) return [];
  if (!profile.startsWith(LOCAL)) return [invalidField(field, profile, 'must be a valid seccomp profile')];
  return localPathErrors([field, profile.slice(LOCAL.length)], { isReservedAllowed: true });
}

function appArmorErrors(field: string, annotations: Annotations, name: string, spec: unknown): FieldError[] {
  const container = name.slice(APP_ARMOR.length);
  const profile = annotations[name] ?? '';
  const lists = ['initContainers', 'containers', 'ephemeralContainers'];
  const containers = lists.flatMap((list) => listAt(spec, list).map((each) => scalarText(valueAt(each, 'name'))));
  const isKnown = ['', 'runtime/default', 'unconfined'].includes(profile) || profile.startsWith(LOCAL);
  const place = `${field}[${name}]`;
  const detail = `invalid AppArmor profile name: ${JSON.stringify(profile)}`;
  return [
    ...(containers.includes(container) ? [] : [invalidField(place, container, 'container not found')]),
    ...(isKnown ? [] : [invalidField(place, profile, detail)]),
  ];
}

/** Some annotations of a Pod cannot change (upstream: `ValidatePodSpecificAnnotationUpdates`). */
export function podAnnotationUpdateErrors(field: string, annotations: Annotations, before: Annotations): FieldError[] {
  const fixed = (name: string, change: string): FieldError[] => {
    if (name.startsWith(APP_ARMOR))
      return [forbiddenField(`${field}[${name}]`, `may not ${change} AppArmor annotations`)];
    return name === MIRROR ? [forbiddenField(`${field}[${name}]`, `may not ${change} mirror pod annotation`)] : [];
  };
  return [
    ...Object.keys(before)
      .filter((name) => annotations[name] !== before[name])
      .flatMap((name) => fixed(name, 'remove or update')),
    ...Object.keys(annotations)
      .filter((name) => before[name] === undefined)
      .flatMap((name) => fixed(name, 'add')),
  ];
}
