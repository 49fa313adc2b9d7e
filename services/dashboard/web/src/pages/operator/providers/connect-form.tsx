import { Alert, Anchor, Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Info } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { Link } from 'react-router';
import { createProvider, type Provider, testProvider } from '../../../api/admin-providers';
import { FormProblems } from '../models/form-problems';
import { NO_PROBLEMS, type Problems, problemsAt, problemsOf } from '../models/problems';
import { type Choice, freeId } from './connect-choices';
import { type ConnectDraft, toProviderInput } from './connect-draft';
import { CredentialFields } from './credential-dialog';
import { JsonField } from './json-field';
import { ProbeOutcome } from './probe-outcome';
import { providerPath } from './provider-columns';
import { readCredential } from './read-credential';

interface ConnectFormProps {
  choice: Choice;
  providers: readonly Provider[];
  /** Undefined or null: it is suggested. */
  wantedId: string | null;
}

/** The form of a provider and its first credential; then the outcome of a test call. */
export function ConnectForm({ choice, providers, wantedId }: ConnectFormProps) {
  const [draft, setDraft] = useState<ConnectDraft>(() => ({
    id: wantedId ?? freeId(choice.suggestedId, providers),
    name: choice.key === 'other' ? '' : choice.name,
    baseUrl: choice.baseUrl,
    options: '',
  }));
  const [found, setFound] = useState(NO_PROBLEMS);
  const form = useRef<HTMLFormElement>(null);
  const queryClient = useQueryClient();
  const { input, problems: mistakes } = toProviderInput(choice, draft);
  // Reads the secret when it is sent, so that neither the form nor the mutation keeps it.
  const creating = useMutation({
    mutationFn: (provider: NonNullable<typeof input>) =>
      createProvider({ ...provider, credentials: [readCredential(new FormData(form.current ?? undefined))] }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['admin', 'providers'] }),
  });
  if (creating.data) return <Connected provider={creating.data} />;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setFound(mistakes);
    creating.reset();
    if (input) creating.mutate(input);
  };
  const problems = found.size > 0 ? found : problemsOf(creating.error);
  return (
    <form ref={form} onSubmit={submit} autoComplete="off">
      <Stack maw={640}>
        <ProviderFields
          choice={choice}
          draft={draft}
          onChange={(part) => setDraft({ ...draft, ...part })}
          problems={problems}
          replaces={providers.some(({ id, source }) => id === draft.id.trim() && source === 'environment')}
        />
        <Fieldset legend="First credential">
          <Stack>
            <CredentialFields error={null} isKeyRequired={choice.apiKey === 'required'} />
          </Stack>
        </Fieldset>
        <FormProblems title="Provider not connected" problems={problems} error={creating.error} />
        <Group>
          <Button type="submit" loading={creating.isPending}>
            Connect and test
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface FieldsProps {
  choice: Choice;
  draft: ConnectDraft;
  onChange: (part: Partial<ConnectDraft>) => void;
  problems: Problems;
  /** The environment configures a provider of this id. */
  replaces: boolean;
}

function ProviderFields({ choice, draft, onChange, problems, replaces }: FieldsProps) {
  return (
    <Fieldset legend="Provider">
      <Stack>
        <TextInput
          label="ID"
          description="Names it in targets and suggested slugs; can’t be changed later"
          required
          maxLength={63}
          autoCapitalize="off"
          spellCheck={false}
          value={draft.id}
          onChange={(event) => onChange({ id: event.currentTarget.value })}
          error={problemsAt(problems, 'id')}
        />
        {replaces && (
          <Alert variant="default" icon={<Info size={18} aria-hidden />} p="xs">
            <Text size="sm">The environment configures a provider of this ID. This one replaces it.</Text>
          </Alert>
        )}
        <TextInput
          label="Name"
          description="Shown to operators"
          placeholder={draft.id}
          maxLength={100}
          value={draft.name}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
          error={problemsAt(problems, 'name')}
        />
        <TextInput
          label="Base URL"
          description={<BaseUrlHelp choice={choice} />}
          placeholder={choice.hasUrlByOptions ? '' : 'https://llm.example.com/v1'}
          required={!choice.hasUrlByOptions}
          maxLength={2000}
          autoCapitalize="off"
          spellCheck={false}
          value={draft.baseUrl}
          onChange={(event) => onChange({ baseUrl: event.currentTarget.value })}
          error={problemsAt(problems, 'base_url')}
        />
        {choice.optionNames.length > 0 && (
          <JsonField
            label="Options"
            description={`As JSON: ${choice.optionNames.join(', ')}`}
            placeholder={optionsExample(choice)}
            value={draft.options}
            onChange={(options) => onChange({ options })}
            error={problemsAt(problems, 'options')}
          />
        )}
      </Stack>
    </Fieldset>
  );
}

const optionsExample = ({ kind, optionNames }: Choice): string =>
  kind === 'openai' ? '{ "quirks": { "think_tags": true } }' : `{ "${optionNames[0]}": "…" }`;

function BaseUrlHelp({ choice: { baseUrl, docs, hasUrlByOptions } }: { choice: Choice }) {
  if (hasUrlByOptions) return 'Empty: the options determine it';
  return (
    <>
      {baseUrl.includes('{') ? 'Replace what is in braces. ' : 'As the chat service reaches it. '}
      {docs && (
        <Anchor href={docs} target="_blank" rel="noreferrer" inherit underline="always">
          Documentation
        </Anchor>
      )}
    </>
  );
}

function Connected({ provider: { id, name } }: { provider: Provider }) {
  const test = useQuery({
    queryKey: ['admin', 'provider-test', id],
    queryFn: () => testProvider(id),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const hasFailed = !test.isFetching && (test.error !== null || test.data?.ok === false);
  return (
    <Stack maw={640}>
      <Alert
        variant="default"
        title={`${name ?? id} is added`}
        icon={<CircleCheck size={18} aria-hidden />}
        role="status"
      >
        <Text size="sm">The provider and its credential are stored. Models are offered once imported.</Text>
      </Alert>
      <ProbeOutcome
        isPending={test.isFetching}
        result={test.data}
        error={test.error}
        onRetry={() => void test.refetch()}
      />
      <Group>
        <Button component={Link} to={`${providerPath(id)}/models`} variant={hasFailed ? 'default' : 'filled'}>
          Import models
        </Button>
        <Button component={Link} to={providerPath(id)} variant={hasFailed ? 'filled' : 'default'}>
          Go to provider
        </Button>
      </Group>
    </Stack>
  );
}
