import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getBalance, listTopups } from '../../api/billing';
import { listKeys } from '../../api/keys';
import { listRequests } from '../../api/requests';
import { useMe } from '../../api/use-me';
import { areStepsKnownDone, rememberStepsDone } from './steps-memory';

const REFETCH_INTERVAL_MS = 5_000;

export interface Progress {
  readonly hasKey: boolean;
  readonly hasMoney: boolean;
  readonly hasCalled: boolean;
}

/**
 * Returns the onboarding progress of an account; `done` permanently after a successful request, `unknown` while
 * loading: content rendered below before would have to move.
 */
export function useFirstSteps(): Progress | 'unknown' | 'done' {
  const { account } = useMe();
  const [wasDone] = useState(() => areStepsKnownDone(account.id));
  const enabled = !wasDone;
  const keys = useQuery({ queryKey: ['keys', 'any'], queryFn: () => listKeys(undefined, 1), enabled });
  const balance = useQuery({ queryKey: ['billing', 'balance'], queryFn: getBalance, enabled });
  const topups = useQuery({
    queryKey: ['billing', 'topups', 'any'],
    queryFn: () => listTopups(undefined, 1),
    enabled,
  });
  const calls = useQuery({
    queryKey: ['requests', 'good'],
    queryFn: () => listRequests({ status: '200' }, undefined, 1),
    refetchInterval: ({ state }) => (state.data?.data.length ? false : REFETCH_INTERVAL_MS),
    enabled,
  });
  const hasKey = Boolean(keys.data?.data.length);
  const isCleared = topups.data?.data.some(({ status }) => status === 'cleared') ?? false;
  const hasMoney = isCleared || (balance.data?.balance ?? 0) > 0;
  const hasCalled = Boolean(calls.data?.data.length);
  const isDone = hasKey && hasMoney && hasCalled;
  useEffect(() => {
    if (isDone) rememberStepsDone(account.id);
  }, [isDone, account.id]);
  // An error here must not hide the rest of the page.
  const isLost = [keys, balance, topups, calls].some(({ isLoadingError }) => isLoadingError);
  if (wasDone || isDone || isLost) return 'done';
  const isKnown = keys.data && balance.data && topups.data && calls.data;
  return isKnown ? { hasKey, hasMoney, hasCalled } : 'unknown';
}
