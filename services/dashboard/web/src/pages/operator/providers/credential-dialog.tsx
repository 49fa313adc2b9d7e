import { Button, Group, Modal, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useRef } from 'react';
import {
  addCredential,
  type Credential,
  type CredentialLimits,
  updateCredential,
} from '../../../api/admin-providers';
import { ErrorState } from '../../../ui/error-state';
import { fieldError } from '../../../ui/field-error';
import { priceText } from '../prices/prices-draft';
import { readCredential, readCredentialChange } from './read-credential';
import { SecretField } from './secret-field';

interface CredentialDialogProps {
  providerId: string;
  /** The one to edit; `new`: one is added; undefined: closed. */
  credential: Credential | 'new' | undefined;
  onClose: () => void;
}

export function CredentialDialog({ providerId, credential, onClose }: CredentialDialogProps) {
  // Keeps its form while it fades out.
  const shown = useRef(credential);
  if (credential) shown.current = credential;
  const edited = shown.current === 'new' ? undefined : shown.current;
  return (
    <Modal
      opened={credential !== undefined}
      onClose={onClose}
      title={edited ? `Edit credential ${edited.name}` : 'Add credential'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <CredentialForm providerId={providerId} edited={edited} onClose={onClose} />
    </Modal>
  );
}

interface FormProps {
  providerId: string;
  edited: Credential | undefined;
  onClose: () => void;
}

function CredentialForm({ providerId, edited, onClose }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  const queryClient = useQueryClient();
  // Reads the secret when it is sent, so that neither the form nor the mutation keeps it.
  const saving = useMutation({
    mutationFn: () => {
      const fields = new FormData(form.current ?? undefined);
      return edited
        ? updateCredential(providerId, edited.id, readCredentialChange(fields))
        : addCredential(providerId, readCredential(fields));
    },
    onSuccess: ({ name }) => {
      void queryClient.invalidateQueries({ queryKey: ['admin', 'providers'] });
      notifications.show({ message: edited ? `${name} is changed.` : `${name} is added.` });
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form ref={form} onSubmit={submit} autoComplete="off">
      <Stack>
        <CredentialFields edited={edited} error={saving.error} isKeyRequired hasWeight />
        {saving.error && <ErrorState error={saving.error} title="Credential not saved" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} disabled={saving.isPending}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending}>
            {edited ? 'Save' : 'Add credential'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const COUNT = { inputMode: 'numeric', pattern: '[\\d,]{0,13}', title: 'A whole number' } as const;
/** What `parseUsd` accepts: any other text must not remove the limit. */
const AMOUNT = {
  inputMode: 'decimal',
  pattern: '\\$?(\\d{1,9}|[1-9]\\d{0,2}(,\\d{3}){1,2})(\\.\\d{1,9})?',
  title: 'An amount such as 25 or 0.50, with at most nine decimals',
} as const;

const LIMITS = [
  { name: 'rpm_limit', label: 'Requests a minute', ...COUNT },
  { name: 'tpm_limit', label: 'Tokens a minute', ...COUNT },
  { name: 'concurrency_limit', label: 'At once', ...COUNT },
  { name: 'daily_cost_limit', label: 'Cost a day, USD', ...AMOUNT },
] as const satisfies readonly { readonly name: keyof CredentialLimits; readonly label: string }[];

/** Requests beyond a limit go to another credential before the provider refuses them. */
function LimitFields({ edited, error }: Pick<FieldsProps, 'edited' | 'error'>) {
  return (
    <div>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {LIMITS.map(({ name, ...field }) => (
          <TextInput
            key={name}
            name={name}
            {...field}
            placeholder="No limit"
            autoComplete="off"
            defaultValue={priceText(edited?.[name])}
            error={fieldError(error, name)}
          />
        ))}
      </SimpleGrid>
      <Text size="xs" c="dimmed" mt={4}>
        Requests beyond a limit use another credential. The cost is what the provider charges for chat on a
        UTC day, on all instances together; models whose target has no cost count nothing. The other limits
        are those of each instance of chat and of media.
      </Text>
    </div>
  );
}

interface FieldsProps {
  edited?: Credential | undefined;
  error: unknown;
  isKeyRequired: boolean;
  /** It matters once there are several. */
  hasWeight?: boolean;
}

/** The fields that `readCredential` reads. */
export function CredentialFields({ edited, error, isKeyRequired, hasWeight = false }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Credential name"
        name="credential_name"
        description="Shown in health and logs, such as the name of the account"
        required
        maxLength={100}
        autoComplete="off"
        defaultValue={edited?.name ?? (hasWeight ? '' : 'main')}
        error={fieldError(error, 'name')}
      />
      <SecretField
        label={edited ? 'New secret' : 'API key'}
        description={
          edited
            ? 'Replaces the current one; empty: it stays'
            : isKeyRequired
              ? 'Or the keys of a cloud account or of Kling as JSON. It is encrypted and never shown again'
              : 'Empty if the endpoint needs none. It is encrypted and never shown again'
        }
        required={!edited && isKeyRequired}
      />
      {hasWeight && (
        <TextInput
          label="Weight"
          name="weight"
          description="Its part of the requests, relative to the other credentials"
          required
          inputMode="numeric"
          pattern="\d{1,7}"
          title="A whole number"
          autoComplete="off"
          defaultValue={String(edited?.weight ?? 1)}
          error={fieldError(error, 'weight')}
        />
      )}
      {hasWeight && <LimitFields edited={edited} error={error} />}
    </>
  );
}
