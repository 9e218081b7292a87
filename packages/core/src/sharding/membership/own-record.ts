import type { MemberRecord } from './member-record.ts';
import type { Membership } from './membership.ts';
import { isOurs } from './membership.ts';

/** The content that the member would write into its Lease now. The caller adds the loads and the number of the write. */
export type RecordContent = Omit<MemberRecord, 'sequence' | 'loads'>;

export function recordContent(state: Membership, now: number): RecordContent {
  const { name, plan, rules, weight, formats } = state;
  const held = new Set<number>();
  for (const [slot, hold] of state.holds) if (hold.type !== 'active') held.add(slot);
  const warm = new Set<number>();
  for (const slot of state.warm) if (isOurs(state, slot)) warm.add(slot);
  for (const [slot, since] of state.preparing) if (now - since >= rules.warmTimeout) warm.add(slot);
  return {
    name,
    acked: { epoch: plan?.epoch ?? 0, id: plan?.id ?? '' },
    held,
    warm,
    state: state.leaving ? 'leaving' : 'active',
    weight,
    formats,
    leaseDuration: rules.leaseDuration,
    margin: rules.margin,
  };
}

/**
 * How soon a change of the content has to be written: `at once` if other members wait for it, `soon` if it only lets them
 * go on with a preparation.
 */
export function urgency(content: RecordContent, written: MemberRecord | undefined): 'none' | 'soon' | 'at once' {
  if (!written) return 'at once';
  const isAcked = written.acked.epoch === content.acked.epoch && written.acked.id === content.acked.id;
  if (!isAcked || written.state !== content.state || !isEqual(content.held, written.held)) return 'at once';
  return isEqual(content.warm, written.warm) ? 'none' : 'soon';
}

function isEqual(one: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  return one.size === other.size && one.isSubsetOf(other);
}
