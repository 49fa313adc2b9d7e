import { Button, Group, Radio, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Limits, updateLimits } from '../../api/billing';
import { ErrorState } from '../../ui/error-state';
import { fieldError } from '../../ui/field-error';
import { UsdInput } from '../../ui/usd-input';
import { WHEN_SHORT } from './insufficient-funds-policy';

const CHOICES = ['lower', 'refuse'] as const;

/** An empty daily limit removes it. */
export function LimitsForm({ limits }: { limits: Limits }) {
  const queryClient = useQueryClient();
  const [saved, setSaved] = useState(limits);
  const [values, setValues] = useState(limits);
  const change = useMutation({
    mutationFn: updateLimits,
    onSuccess: (changed) => {
      setSaved(changed);
      queryClient.setQueryData(['billing', 'limits'], changed);
      notifications.show({ message: 'Account limits updated. They apply from the next request.' });
    },
  });
  const isChanged = values.daily_limit !== saved.daily_limit || values.when_short !== saved.when_short;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({
      ...(values.daily_limit !== saved.daily_limit && { daily_limit: values.daily_limit }),
      ...(values.when_short !== saved.when_short && { when_short: values.when_short }),
    });
  };
  const { error } = change;
  const isOfField = fieldError(error, 'daily_limit') ?? fieldError(error, 'when_short');
  return (
    <form onSubmit={submit}>
      <Stack>
        <UsdInput
          label="Daily limit"
          description="Maximum spend of all keys per UTC day"
          placeholder="No limit"
          value={values.daily_limit}
          onChange={(daily_limit) => setValues((before) => ({ ...before, daily_limit }))}
          error={fieldError(error, 'daily_limit')}
        />
        <Radio.Group
          label="When funds don’t cover the whole request"
          value={values.when_short}
          onChange={(when_short) =>
            setValues((before) => ({ ...before, when_short: when_short as Limits['when_short'] }))
          }
          error={fieldError(error, 'when_short')}
        >
          <Stack gap="xs" mt="xs">
            {CHOICES.map((choice) => (
              <Radio
                key={choice}
                value={choice}
                label={WHEN_SHORT[choice].label}
                description={WHEN_SHORT[choice].description}
              />
            ))}
          </Stack>
        </Radio.Group>
        {error && !isOfField && <ErrorState error={error} title="Limits not saved" />}
        <Group>
          <Button type="submit" loading={change.isPending} disabled={!isChanged}>
            Save limits
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
