import { GatewayError } from '@gateway/errors';

/** What there is a bound on, of all that calls under way take. */
export const ROOMS = [
  'images',
  'repeats',
  'results',
  'unpaid_uploads',
  'uploads',
  'video_bodies',
  'video_files',
  'waiting_repeats',
] as const;

export type Room = (typeof ROOMS)[number];

/** Whose part of it is taken: that of everybody, or the account's or the provider's own. */
export const TAKERS = ['account', 'all', 'provider'] as const;

export type TakenBy = (typeof TAKERS)[number];

/** `rate_limited`, by this process and not by a rate: waiting cures it, and more room would. */
export class Busy extends GatewayError {
  readonly room: Room;
  readonly takenBy: TakenBy;

  constructor(room: Room, takenBy: TakenBy) {
    super('rate_limited', { retryAfterSeconds: 1 });
    this.room = room;
    this.takenBy = takenBy;
  }
}
