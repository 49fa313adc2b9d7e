import { Text } from '@mantine/core';
import { Ban, Play } from 'lucide-react';
import { type Account, suspendAccount } from '../../api/admin-accounts';
import { ConfirmButton } from '../../ui/confirm-button';

/** Stops an account, or lets it go on. */
export function SuspendAccount({ account: { id, name, status } }: { account: Account }) {
  const isSuspended = status === 'suspended';
  return (
    <ConfirmButton
      label={isSuspended ? 'Resume' : 'Suspend'}
      icon={isSuspended ? <Play size={16} aria-hidden /> : <Ban size={16} aria-hidden />}
      title={isSuspended ? `Let ${name} go on?` : `Suspend ${name}?`}
      confirm={isSuspended ? 'Resume account' : 'Suspend account'}
      dangerous={!isSuspended}
      action={() => suspendAccount(id, !isSuspended)}
      done={isSuspended ? `${name} can call again.` : `${name} is suspended.`}
    >
      <Text size="sm">
        {isSuspended
          ? 'Its keys work again at once. Its balance and limits are as they were.'
          : 'All its keys are refused from the next call on; calls under way end as usual and are paid. Its members can still log in. You can let it go on at any time.'}
      </Text>
    </ConfirmButton>
  );
}
