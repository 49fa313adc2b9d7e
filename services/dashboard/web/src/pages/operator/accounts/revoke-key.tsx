import { Text } from '@mantine/core';
import { revokeKey } from '../../../api/admin-accounts';
import type { ApiKey } from '../../../api/keys';
import { ConfirmButton } from '../../../ui/confirm-button';

interface RevokeKeyProps {
  apiKey: ApiKey;
  onRevoked?: () => void;
}

/** A button that permanently revokes a leaked key; nothing for a revoked or deleted key. */
export function RevokeKey({ apiKey: { id, name, status }, onRevoked }: RevokeKeyProps) {
  if (status === 'revoked' || status === 'deleted') return null;
  return (
    <ConfirmButton
      inRow
      dangerous
      label="Revoke"
      fullLabel={`Revoke key ${name}`}
      title={`Revoke the key ${name}?`}
      confirm="Revoke key"
      action={() => revokeKey(id)}
      done={`The key ${name} is revoked.`}
      {...(onRevoked && { onDone: onRevoked })}
    >
      <Text size="sm" ta="left">
        For leaked keys. Requests are rejected immediately and permanently. The account can’t enable the key
        again and must create a new one.
      </Text>
    </ConfirmButton>
  );
}
