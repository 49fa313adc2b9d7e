import { Text } from '@mantine/core';
import { Ban, Play } from 'lucide-react';
import { type Account, suspendAccount } from '../../../api/admin-accounts';
import { ConfirmButton } from '../../../ui/confirm-button';

/** Suspends or reactivates an account. */
export function SuspendAccount({ account: { id, name, status } }: { account: Account }) {
  const isSuspended = status === 'suspended';
  return (
    <ConfirmButton
      label={isSuspended ? 'Resume' : 'Suspend'}
      icon={isSuspended ? <Play size={16} aria-hidden /> : <Ban size={16} aria-hidden />}
      title={isSuspended ? `Resume ${name}?` : `Suspend ${name}?`}
      confirm={isSuspended ? 'Resume account' : 'Suspend account'}
      dangerous={!isSuspended}
      action={() => suspendAccount(id, !isSuspended)}
      done={isSuspended ? `${name} is active again.` : `${name} is suspended.`}
    >
      <Text size="sm">
        {isSuspended
          ? 'Its keys work again immediately, with the same balance and limits.'
          : 'All its keys are rejected immediately; in-flight requests complete and are charged. Members can still log in. You can resume the account at any time.'}
      </Text>
    </ConfirmButton>
  );
}
