import type { TargetHealth } from '../../api/admin-providers';

/** Calls do not go there as usual, or every call that went there failed. */
export const isAiling = ({ circuit, calls, errors }: TargetHealth): boolean =>
  (circuit !== null && circuit !== 'closed') || (calls > 0 && errors === calls);

/** Nothing to tell of it. */
export const isIdle = (target: TargetHealth): boolean => !isUsed(target) && target.last_failure === null;

export const isUsed = (target: TargetHealth): boolean => target.calls > 0 || isAiling(target);
