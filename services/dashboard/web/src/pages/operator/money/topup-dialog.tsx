import { Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Account, topUpAccount } from '../../../api/admin-accounts';
import { fieldError } from '../../../ui/field-error';
import { formatMoney } from '../../../ui/format-money';
import { parseUsd } from '../../../ui/parse-usd';
import { MoneyError } from './money-error';
import { RepeatNotice } from './repeat-notice';
import { useIdempotentCalls } from './use-idempotent-calls';

interface TopupDialogProps {
  account: Account;
  opened: boolean;
  onClose: () => void;
}

interface TopupInput {
  readonly amount: number;
  readonly status: 'cleared' | 'pending';
  readonly reference?: string;
}

const MAX_REFERENCE_CHARS = 200;

export function TopupDialog({ account, opened, onClose }: TopupDialogProps) {
  const calls = useIdempotentCalls(opened);
  const [, setOthers] = useState(0);
  const queryClient = useQueryClient();
  const topup = useMutation({
    mutationFn: (input: TopupInput) =>
      calls.call(input.amount, (key) => topUpAccount(account.id, input, key)),
    onSuccess: ({ id, amount, status }) => {
      onClose();
      const what = status === 'cleared' ? 'can be spent now' : 'waits until you clear it';
      notifications.show({ id, message: `${formatMoney(amount)} for ${account.name} ${what}.` });
      void queryClient.invalidateQueries();
    },
  });
  const close = () => {
    onClose();
    topup.reset();
  };
  const another = (amount: number) => {
    calls.forget(amount);
    topup.reset();
    setOthers((count) => count + 1);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={`Top up ${account.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <TopupForm
        onSubmit={topup.mutate}
        isPending={topup.isPending}
        error={topup.error}
        isRepeat={(amount) => calls.isRepeat(amount)}
        onAnother={another}
        onCancel={close}
      />
    </Modal>
  );
}

interface FormProps {
  onSubmit: (input: TopupInput) => void;
  isPending: boolean;
  error: Error | null;
  /** The request would be taken for an earlier one. */
  isRepeat: (amount: number) => boolean;
  onAnother: (amount: number) => void;
  onCancel: () => void;
}

function TopupForm({ onSubmit, isPending, error, isRepeat, onAnother, onCancel }: FormProps) {
  const [text, setText] = useState('');
  const [status, setStatus] = useState<TopupInput['status']>('cleared');
  const [reference, setReference] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const amount = parseUsd(text);
  const isValid = amount !== undefined && amount > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(!isValid);
    const noted = reference.trim();
    if (isValid) onSubmit({ amount, status, ...(noted !== '' && { reference: noted }) });
  };
  const isOfField = fieldError(error, 'amount') ?? fieldError(error, 'reference');
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label="Amount in USD"
          placeholder="100.00"
          inputMode="decimal"
          autoComplete="off"
          required
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={
            isSubmitted && !isValid
              ? 'Enter an amount greater than zero, such as 100 or 12.50.'
              : fieldError(error, 'amount')
          }
        />
        <Radio.Group
          label="Payment"
          value={status}
          onChange={(value) => setStatus(value === 'pending' ? 'pending' : 'cleared')}
        >
          <Stack gap="xs" mt={4}>
            <Radio value="cleared" label="Has arrived" description="It can be spent immediately." />
            <Radio value="pending" label="Is pending" description="It can be spent once you clear it." />
          </Stack>
        </Radio.Group>
        <TextInput
          label="Reference"
          description="Payment reference, visible to members"
          placeholder="Invoice 2026-118"
          autoComplete="off"
          maxLength={MAX_REFERENCE_CHARS}
          value={reference}
          onChange={(event) => setReference(event.currentTarget.value)}
          error={fieldError(error, 'reference')}
        />
        {error && !isOfField && <MoneyError error={error} title="Top-up not created" />}
        {isValid && !isPending && isRepeat(amount) && (
          <RepeatNotice what={`A top-up of ${formatMoney(amount)}`} onAnother={() => onAnother(amount)} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            {isValid ? `Top up ${formatMoney(amount)}` : 'Top up'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
