import { type Queryable, rowsOf, statement } from '../../store/statement';
import { type Delivery, letterDigest } from '../rules/delivery';

export interface DeadLetter {
  readonly delivery: Delivery;
  readonly reason: string;
}

const INSERT = statement(
  'insert-dead-letters',
  `INSERT INTO billing.dead_letters (digest, source, reason, payload)
   SELECT * FROM unnest($1::bytea[], $2::text[], $3::text[], $4::bytea[])
   ON CONFLICT (digest) DO NOTHING`,
);

export function insertDeadLetters(on: Queryable, letters: readonly DeadLetter[]): Promise<unknown> {
  const payloads = letters.map(({ delivery }) => delivery.payload());
  return rowsOf(on, INSERT, [
    payloads.map(letterDigest),
    letters.map(({ delivery }) => delivery.source),
    letters.map(({ reason }) => reason),
    payloads,
  ]);
}
