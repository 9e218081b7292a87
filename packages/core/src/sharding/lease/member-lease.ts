import type { DeepReadonly, Lease } from '@mcr/client';
import * as z from 'zod';
import { MAX_GROWTH } from '../membership/grown-rules.ts';
import type { MemberLease, MemberRecord } from '../membership/member-record.ts';
import { MAX_DURATION } from '../membership/rules.ts';
import { MAX_EPOCH } from '../plan/plan-version.ts';
import type { MemberName } from '../plan/plan.ts';
import type { ShardGroup } from './group.ts';
import {
  FORMAT,
  GROUP_LABEL,
  groupMismatch,
  groupSchema,
  MAX_LENGTH,
  MAX_REASON,
  MEMBER_ANNOTATION,
  SEQUENCE_ANNOTATION,
} from './group.ts';
import { decodeSlots, encodeSlots } from './slot-bitmap.ts';
import { decodeLoads, encodeLoads, loadsSchema } from './slot-loads.ts';

/** The option with the longest duration, in a group that has grown. */
const duration = z
  .number()
  .positive()
  .max(MAX_DURATION * MAX_GROWTH);

const memberSchema = groupSchema.extend({
  name: z.string().min(1).max(253),
  acked: z.object({ epoch: z.int().nonnegative().max(MAX_EPOCH), id: z.string().max(64) }),
  held: z.string(),
  warm: z.string(),
  state: z.enum(['active', 'leaving']),
  weight: z.number().nonnegative().max(1_000_000),
  formats: z.array(z.int()).max(100),
  leaseDuration: duration,
  margin: duration,
  loads: loadsSchema.exactOptional(),
});

/** Returns the name of a member's Lease. */
export function memberLeaseName(group: ShardGroup, member: MemberName): string {
  return `${group.name}-${member}`;
}

/** Options of {@link writeMemberLease}. */
export interface WriteMemberLeaseOptions {
  readonly group: ShardGroup;
  /** Version that it replaces. `undefined`: it is created. */
  readonly resourceVersion: string | undefined;
  /** Whether the member releases its Lease. Default: `false`. */
  readonly isOut?: boolean;
  /** Time of the write for display, a `metav1.MicroTime`. */
  readonly renewTime: string;
}

export function writeMemberLease(record: MemberRecord, options: WriteMemberLeaseOptions) {
  const { group, resourceVersion, isOut = false, renewTime } = options;
  const { name, acked, held, warm, state, weight, formats, leaseDuration, margin, sequence, loads } = record;
  const content: z.input<typeof memberSchema> = {
    format: FORMAT,
    group: group.name,
    slots: group.slots,
    name,
    acked,
    held: encodeSlots(held, group.slots),
    warm: encodeSlots(warm, group.slots),
    state,
    weight,
    formats: [...formats],
    leaseDuration,
    margin,
    ...(loads && { loads: encodeLoads(loads, group.slots) }),
  };
  return {
    metadata: {
      namespace: group.namespace,
      name: memberLeaseName(group, name),
      labels: { [GROUP_LABEL]: group.name },
      annotations: { [MEMBER_ANNOTATION]: JSON.stringify(content), [SEQUENCE_ANNOTATION]: String(sequence) },
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
    spec: {
      holderIdentity: isOut ? '' : name,
      // A Lease has whole seconds.
      leaseDurationSeconds: Math.ceil(leaseDuration / 1_000),
      renewTime,
    },
  };
}

/** Whether a Lease of the group is the Lease of a member. Other Leases may have the label of the group by mistake. */
export function isMemberLease({ metadata }: DeepReadonly<Lease>, group: ShardGroup): boolean {
  return metadata.name.startsWith(`${group.name}-`);
}

/**
 * Reads the Lease of a member. The caller has checked {@link isMemberLease}. One of another group is unreadable: it must not
 * stop this group, and is evicted unless it is renewed.
 */
export function readMemberLease(lease: DeepReadonly<Lease>, group: ShardGroup): MemberLease {
  const { metadata, spec } = lease;
  const { resourceVersion } = metadata;
  const name = metadata.name.slice(group.name.length + 1);
  if (spec?.holderIdentity === '') return { name, resourceVersion, type: 'out' };
  const unreadable = (reason: string): MemberLease => ({ name, resourceVersion, type: 'unreadable', reason });
  const text = metadata.annotations?.[MEMBER_ANNOTATION];
  const sequence = Number(metadata.annotations?.[SEQUENCE_ANNOTATION]);
  if (text === undefined) return unreadable(`the annotation ${MEMBER_ANNOTATION} is missing`);
  if (text.length > MAX_LENGTH) return unreadable(`the annotation ${MEMBER_ANNOTATION} is too long`);
  if (!Number.isSafeInteger(sequence) || sequence < 1)
    return unreadable(`the annotation ${SEQUENCE_ANNOTATION} is not a number`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return unreadable(`the annotation ${MEMBER_ANNOTATION} is not JSON`);
  }
  const common = groupSchema.safeParse(json);
  const mismatch = common.success ? groupMismatch(group, common.data) : undefined;
  if (mismatch !== undefined) return unreadable(`it ${mismatch}`.slice(0, MAX_REASON));
  const parsed = memberSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return unreadable(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'wrong content'}`.slice(0, MAX_REASON));
  }
  const { acked, held, warm, state, weight, formats, leaseDuration, margin, loads } = parsed.data;
  if (parsed.data.name !== name || spec?.holderIdentity !== name) return unreadable('it names another member');
  try {
    const record: MemberRecord = {
      name,
      acked,
      held: decodeSlots(held, group.slots),
      warm: decodeSlots(warm, group.slots),
      state,
      weight,
      formats,
      leaseDuration,
      margin,
      sequence,
      ...(loads !== undefined && { loads: decodeLoads(loads, group.slots) }),
    };
    return { name, resourceVersion, type: 'member', record };
  } catch (error) {
    return unreadable((error as Error).message);
  }
}
