import type { Customer, System } from '../support/system';
import type { ChargeVerifier } from './charge-verifier';
import type { Connection } from './client';

/** Shared by the tests of one client. */
export interface ClientFixture {
  readonly system: System;
  readonly customer: Customer;
  readonly charges: ChargeVerifier;
  readonly connection: Connection;
}

/** Most calls are tested plain and streamed. */
export const both = [
  { how: 'whole', stream: false },
  { how: 'streamed', stream: true },
];

/** Returns a prompt with a directive for the simulator. */
export function directivePrompt(directive: object, words = 'Do as told.'): string {
  return `${words} [[sim ${JSON.stringify(directive)}]]`;
}
