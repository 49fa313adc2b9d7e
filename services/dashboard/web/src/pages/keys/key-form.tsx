import {
  Alert,
  Button,
  Fieldset,
  Group,
  NumberInput,
  SimpleGrid,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core';
import { Lock } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { ErrorState } from '../../ui/error-state';
import { fieldError } from '../../ui/field-error';
import { toAmount } from '../../ui/to-amount';
import { UsdInput } from '../../ui/usd-input';
import { AccessInput } from './access-input';
import { BareNamesInput } from './bare-names-input';
import { ExpiryInput } from './expiry-input';
import type { KeyFormValues } from './key-form-values';
import { ModelsInput } from './models-input';

interface KeyFormProps {
  initial: KeyFormValues;
  /** Fields that the user can't change, because an owner has limited them. */
  locked?: readonly string[];
  submitLabel: string;
  failTitle: string;
  isPending: boolean;
  error: Error | null;
  onSubmit: (values: KeyFormValues) => void;
  onCancel: () => void;
}

const MAX_NAME_CHARS = 200;

/** Name and limits of a key. The input stays if the gateway refuses it. */
export function KeyForm(props: KeyFormProps) {
  const { initial, locked = [], submitLabel, failTitle, isPending, error, onSubmit, onCancel } = props;
  const [values, setValues] = useState(initial);
  const change = (changed: Partial<KeyFormValues>) => setValues((before) => ({ ...before, ...changed }));
  const errorOf = (field: keyof KeyFormValues) => fieldError(error, field);
  const isLocked = (field: keyof KeyFormValues) => locked.includes(field);
  const isOfField = Object.keys(values).some((field) => fieldError(error, field));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ ...values, name: values.name.trim() });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {locked.some((field) => field in values) && (
          <Alert color="gray" icon={<Lock size={18} aria-hidden />}>
            An owner of the account has set the limits that are disabled here.
          </Alert>
        )}
        <TextInput
          label="Name"
          description="What the key is used for"
          value={values.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          required
          maxLength={MAX_NAME_CHARS}
          data-autofocus
          autoComplete="off"
          error={errorOf('name')}
        />
        <ExpiryInput
          value={values.expires_at}
          onChange={(expires_at) => change({ expires_at })}
          disabled={isLocked('expires_at')}
          error={errorOf('expires_at')}
        />
        <ModelsInput
          value={values.allowed_models}
          onChange={(allowed_models) => change({ allowed_models })}
          disabled={isLocked('allowed_models')}
          error={errorOf('allowed_models')}
        />
        <BareNamesInput
          value={values.bare_model_names}
          onChange={(bare_model_names) => change({ bare_model_names })}
          error={errorOf('bare_model_names')}
        />
        <Switch
          label="Fallback models"
          description="When a model is unavailable, another model that the operator chose may answer, at its own price"
          checked={values.fallback_models}
          onChange={(event) => change({ fallback_models: event.currentTarget.checked })}
          error={errorOf('fallback_models')}
        />
        <ClientSettings values={values} change={change} errorOf={errorOf} />
        <AccessInput values={values} change={change} errorOf={errorOf} isLocked={isLocked} />
        <SpendingLimits values={values} change={change} errorOf={errorOf} isLocked={isLocked} />
        <RateLimits values={values} change={change} errorOf={errorOf} isLocked={isLocked} />
        {error && !isOfField && <ErrorState error={error} title={failTitle} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel} disabled={isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending}>
            {submitLabel}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface LimitsProps {
  values: KeyFormValues;
  change: (changed: Partial<KeyFormValues>) => void;
  errorOf: (field: keyof KeyFormValues) => string | undefined;
  isLocked: (field: keyof KeyFormValues) => boolean;
}

function ClientSettings({ values, change, errorOf }: Omit<LimitsProps, 'isLocked'>) {
  return (
    <Fieldset legend="Clients" p="md">
      <Stack gap="sm">
        <Switch
          label="Leave out unsupported tools"
          description="Built-in tools that a model can’t have, such as web search beside functions, are left out instead of refused"
          checked={values.unsupported_tools === 'drop'}
          onChange={(event) => change({ unsupported_tools: event.currentTarget.checked ? 'drop' : 'refuse' })}
          error={errorOf('unsupported_tools')}
        />
        <Switch
          label="Details in error messages"
          description="For clients that show only the message of an error"
          checked={values.detailed_messages}
          onChange={(event) => change({ detailed_messages: event.currentTarget.checked })}
          error={errorOf('detailed_messages')}
        />
      </Stack>
    </Fieldset>
  );
}

const SPENDING = [
  { field: 'daily_limit', label: 'Per day', description: 'From 00:00 UTC' },
  { field: 'monthly_limit', label: 'Per month', description: 'From the 1st of the month, UTC' },
  { field: 'request_cost_limit', label: 'Per request', description: 'Maximum cost of a request' },
] as const;

function SpendingLimits({ values, change, errorOf, isLocked }: LimitsProps) {
  return (
    <Fieldset legend="Spending limits" p="md">
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        {SPENDING.map(({ field, label, description }) => (
          <UsdInput
            key={field}
            label={label}
            description={description}
            placeholder="No limit"
            value={values[field]}
            onChange={(value) => change({ [field]: value })}
            disabled={isLocked(field)}
            error={errorOf(field)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}

const RATES = [
  { field: 'rpm_limit', label: 'Requests per minute' },
  { field: 'tpm_limit', label: 'Tokens per minute' },
] as const;

function RateLimits({ values, change, errorOf, isLocked }: LimitsProps) {
  return (
    <Fieldset legend="Rate limits" p="md">
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {RATES.map(({ field, label }) => (
          <NumberInput
            key={field}
            label={label}
            placeholder="No limit"
            value={values[field] ?? ''}
            onChange={(written) => change({ [field]: toAmount(written) })}
            disabled={isLocked(field)}
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            hideControls
            inputMode="numeric"
            autoComplete="off"
            error={errorOf(field)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}
