import type { ProviderHealth, TargetHealth } from '../../../api/admin-providers';

type ServedBy = ProviderHealth['served_by'];

/** A model has it, and nobody can call it: each call for it fails. */
export const isNotSetUp = ({ models }: TargetHealth, servedBy: ServedBy): boolean =>
  servedBy === 'nobody' && models.length > 0;

/** Calls do not go there as usual, or every call that went there failed. */
export const isAiling = (target: TargetHealth, servedBy: ServedBy): boolean => {
  const { circuit, calls, errors } = target;
  const isBroken = (circuit !== null && circuit !== 'closed') || (calls > 0 && errors === calls);
  return isBroken || isNotSetUp(target, servedBy);
};

/** Nothing to tell of it. */
export const isIdle = (target: TargetHealth, servedBy: ServedBy): boolean =>
  !isUsed(target, servedBy) && target.last_failure === null;

export const isUsed = (target: TargetHealth, servedBy: ServedBy): boolean =>
  target.calls > 0 || isAiling(target, servedBy);
