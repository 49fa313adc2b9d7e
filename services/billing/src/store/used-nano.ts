/**
 * SQL of what a window has settled and holds. A subquery and no join: each window is found by its whole key,
 * whatever the plan of a prepared statement once took the table's size to be.
 */
export const usedNano = (
  kind: 'key_day' | 'key_month' | 'account_day',
  subjectId: string,
  startsOn: string,
): string =>
  `coalesce((SELECT held_nano + settled_nano FROM billing.spend_windows
     WHERE kind = '${kind}' AND subject_id = ${subjectId} AND starts_on = ${startsOn}), 0)`;
