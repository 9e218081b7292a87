/** Name of a member: one incarnation of a replica's process, `<replicaId>-<random>`. Never used twice. */
export type MemberName = string;

/** Assignment of one slot. */
export interface SlotAssignment {
  /** The member that acts on the slot. */
  readonly owner: MemberName;
  /** Epoch of the plan that gave the slot to its owner. Plans that leave it there do not change it. */
  readonly since: number;
  /** Members that may still hold the slot. The owner acts only when each of them is out or no longer holds it. */
  readonly wait: readonly MemberName[];
  /** The member that prepares the slot in order to own it next. Default: none. */
  readonly next?: MemberName;
}

/** Divides the slots of a group among its members. Members act on the plan that they acknowledged. */
export interface Plan {
  /** Starts at 1, and grows with each plan. */
  readonly epoch: number;
  /** Random text, which distinguishes plans with equal epochs. */
  readonly id: string;
  /** The members that the plan knows, sorted. Only members that are out are missing in the next plan. */
  readonly members: readonly MemberName[];
  /** One for each slot. The position is the slot's number. */
  readonly slots: readonly SlotAssignment[];
  /**
   * Epoch of the latest plan that replaced a missing or unreadable one. No member acquires a slot before
   * `leaseDuration + margin` have passed since it first saw this epoch. Absent if that time has passed, or if no plan was
   * ever replaced.
   */
  readonly rewritten?: number;
}

/** Identifies a plan. `{ epoch: 0, id: '' }` stands for no plan. */
export type PlanVersion = Pick<Plan, 'epoch' | 'id'>;
