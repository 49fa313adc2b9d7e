/** The owner of holds: its permanent id and the epoch of this process. */
export interface Owner {
  readonly id: string;
  readonly epoch: bigint;
}
