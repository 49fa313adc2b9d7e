import type { Provider, TargetHealth } from '../../../api/admin-providers';

type ServedBy = Provider['served_by'];

/** Models use this target, but no instance has credentials for it: requests for it fail. */
export const isNotSetUp = ({ models }: TargetHealth, servedBy: ServedBy): boolean =>
  servedBy === 'nobody' && models.length > 0;

/** Its circuit is not closed, or all of its requests failed. */
export const isUnhealthy = (target: TargetHealth, servedBy: ServedBy): boolean => {
  const { circuit, calls, errors } = target;
  const isBroken = (circuit !== null && circuit !== 'closed') || (calls > 0 && errors === calls);
  return isBroken || isNotSetUp(target, servedBy);
};

/** Nothing to report. */
export const isIdle = (target: TargetHealth, servedBy: ServedBy): boolean =>
  !isUsed(target, servedBy) && target.last_failure === null;

export const isUsed = (target: TargetHealth, servedBy: ServedBy): boolean =>
  target.calls > 0 || isUnhealthy(target, servedBy);
