import { Button, Group, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Account, adjustAccount } from '../../../api/admin-accounts';
import { fieldError } from '../../../ui/field-error';
import { formatMoney } from '../../../ui/format-money';
import { parseUsd } from '../../../ui/parse-usd';
import { MoneyError } from './money-error';
import { RepeatNotice } from './repeat-notice';
import { useIdempotentCalls } from './use-idempotent-calls';

const MAX_REASON_CHARS = 200;
const DIRECTIONS = [
  { value: 'give', label: 'Add' },
  { value: 'take', label: 'Deduct' },
];

interface AdjustmentDialogProps {
  account: Account;
  opened: boolean;
  onClose: () => void;
}

interface AdjustmentInput {
  /** Signed. */
  readonly amount: number;
  readonly reason: string;
}

/** Corrects a balance; a reason is required. */
export function AdjustmentDialog({ account, opened, onClose }: AdjustmentDialogProps) {
  const calls = useIdempotentCalls(opened);
  const [, setOthers] = useState(0);
  const queryClient = useQueryClient();
  const adjustment = useMutation({
    mutationFn: (input: AdjustmentInput) =>
      calls.call(input.amount, (key) => adjustAccount(account.id, input, key)),
    onSuccess: ({ id, amount }) => {
      onClose();
      const what = amount < 0 ? 'deducted from' : 'added to';
      notifications.show({ id, message: `${formatMoney(Math.abs(amount))} ${what} ${account.name}.` });
      void queryClient.invalidateQueries();
    },
  });
  const close = () => {
    onClose();
    adjustment.reset();
  };
  const another = (amount: number) => {
    calls.forget(amount);
    adjustment.reset();
    setOthers((count) => count + 1);
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={`Adjust the balance of ${account.name}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <AdjustmentForm
        balance={account.balance}
        onSubmit={adjustment.mutate}
        isPending={adjustment.isPending}
        error={adjustment.error}
        isRepeat={(amount) => calls.isRepeat(amount)}
        onAnother={another}
        onCancel={close}
      />
    </Modal>
  );
}

interface FormProps {
  balance: number;
  onSubmit: (input: AdjustmentInput) => void;
  isPending: boolean;
  error: Error | null;
  /** The request would be taken for an earlier one. */
  isRepeat: (amount: number) => boolean;
  onAnother: (amount: number) => void;
  onCancel: () => void;
}

function AdjustmentForm(props: FormProps) {
  const { balance, onSubmit, isPending, error, isRepeat, onAnother, onCancel } = props;
  const [direction, setDirection] = useState('give');
  const [text, setText] = useState('');
  const [reason, setReason] = useState('');
  const [isSubmitted, setSubmitted] = useState(false);
  const size = parseUsd(text);
  const isValid = size !== undefined && size > 0;
  const hasReason = reason.trim() !== '';
  const amount = direction === 'take' ? -(size ?? 0) : (size ?? 0);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(!isValid || !hasReason);
    if (isValid && hasReason) onSubmit({ amount, reason: reason.trim() });
  };
  const isOfField = fieldError(error, 'amount') ?? fieldError(error, 'reason');
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <SegmentedControl aria-label="Type" data={DIRECTIONS} value={direction} onChange={setDirection} />
        <TextInput
          label="Amount in USD"
          placeholder="5.00"
          inputMode="decimal"
          autoComplete="off"
          required
          data-autofocus
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={
            isSubmitted && !isValid
              ? 'Enter an amount greater than zero, such as 5 or 0.25.'
              : fieldError(error, 'amount')
          }
        />
        <TextInput
          label="Reason"
          description="Members see it in their audit log"
          placeholder="Refund of the failed batch on 3 November"
          required
          maxLength={MAX_REASON_CHARS}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          error={isSubmitted && !hasReason ? 'Enter a reason.' : fieldError(error, 'reason')}
        />
        <Text size="sm" c={isValid && balance + amount < 0 ? 'var(--mantine-color-error)' : 'dimmed'}>
          {isValid ? after(balance, amount) : `The balance is ${formatMoney(balance)}.`}
        </Text>
        {error && !isOfField && <MoneyError error={error} title="Balance not adjusted" />}
        {isValid && !isPending && isRepeat(amount) && (
          <RepeatNotice
            what={`An adjustment by ${formatMoney(amount)}`}
            onAnother={() => onAnother(amount)}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            Adjust balance
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function after(balance: number, amount: number): string {
  const next = `From ${formatMoney(balance)} to ${formatMoney(balance + amount)}.`;
  return balance + amount < 0 ? `${next} Requests are rejected while the balance is negative.` : next;
}
