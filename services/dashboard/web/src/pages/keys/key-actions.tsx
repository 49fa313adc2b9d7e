import { Button, SimpleGrid, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Power, PowerOff, RefreshCcw, RotateCw, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { type ApiKey, enableKey, type NewApiKey } from '../../api/keys';
import { ErrorState } from '../../ui/error-state';
import { Section } from '../../ui/section';
import { type KeyQuestion, KeyQuestions } from './key-questions';
import { KeyValueDialog } from './key-value-dialog';

/** Actions on a key other than its limits; a revoked key can only be deleted. */
export function KeyActions({ apiKey }: { apiKey: ApiKey }) {
  const [asked, setAsked] = useState<KeyQuestion>();
  const [made, setMade] = useState<NewApiKey>();
  return (
    <Section title="Key actions">
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="lg">
        {apiKey.status !== 'revoked' && (
          <>
            <Action label="Rotate" icon={<RotateCw size={16} />} onClick={() => setAsked('rotate')}>
              Creates a new value. The old one stays valid for a time you choose.
            </Action>
            <Action label="Regenerate" icon={<RefreshCcw size={16} />} onClick={() => setAsked('regenerate')}>
              Creates a new value and revokes all old ones immediately. Use it for a leaked key.
            </Action>
            {apiKey.status === 'disabled' ? (
              <EnableAction id={apiKey.id} />
            ) : (
              <Action label="Disable" icon={<PowerOff size={16} />} onClick={() => setAsked('disable')}>
                Requests are rejected until you enable the key.
              </Action>
            )}
          </>
        )}
        <Action label="Delete" icon={<Trash2 size={16} />} danger onClick={() => setAsked('delete')}>
          Permanent. Its usage and requests are kept.
        </Action>
      </SimpleGrid>
      <KeyQuestions apiKey={apiKey} asked={asked} onClose={() => setAsked(undefined)} onRenewed={setMade} />
      <KeyValueDialog made={made} onClose={() => setMade(undefined)} />
    </Section>
  );
}

function EnableAction({ id }: { id: string }) {
  const queryClient = useQueryClient();
  const enabling = useMutation({
    mutationFn: () => enableKey(id),
    onSuccess: ({ name }) => {
      notifications.show({ message: `${name} is enabled.` });
      void queryClient.invalidateQueries({ queryKey: ['keys'] });
    },
  });
  return (
    <div>
      <Action
        label="Enable"
        icon={<Power size={16} />}
        isPending={enabling.isPending}
        onClick={() => enabling.mutate()}
      >
        Requests are accepted again.
      </Action>
      {enabling.error && <ErrorState error={enabling.error} title="Key not enabled" />}
    </div>
  );
}

interface ActionProps {
  label: string;
  icon: ReactNode;
  danger?: boolean;
  isPending?: boolean;
  onClick: () => void;
  children: ReactNode;
}

function Action({ label, icon, danger = false, isPending = false, onClick, children }: ActionProps) {
  return (
    <div>
      <Button
        variant={danger ? 'light' : 'default'}
        {...(danger && { color: 'red' })}
        size="xs"
        leftSection={icon}
        loading={isPending}
        onClick={onClick}
      >
        {label}
      </Button>
      <Text size="xs" c="dimmed" mt={6}>
        {children}
      </Text>
    </div>
  );
}
