/** Who holds money: its lasting id, and which of its lives this is. */
export interface Owner {
  readonly id: string;
  readonly epoch: bigint;
}
