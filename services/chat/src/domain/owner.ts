/** Who holds money: the journal's lasting id, and which of its lives this is. */
export interface Owner {
  readonly id: string;
  readonly epoch: bigint;
}
