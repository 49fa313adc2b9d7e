import type { Customer, System } from '../support/system';
import type { Connection } from './client';
import type { Till } from './till';

/** What the cells of one client share. */
export interface Bench {
  readonly system: System;
  readonly customer: Customer;
  readonly till: Till;
  readonly connection: Connection;
}

/** Every cell that can be is asked in both ways. */
export const both = [
  { how: 'whole', stream: false },
  { how: 'streamed', stream: true },
];

/** A prompt that the simulator takes for an order. */
export function told(directive: object, words = 'Do as told.'): string {
  return `${words} [[sim ${JSON.stringify(directive)}]]`;
}
