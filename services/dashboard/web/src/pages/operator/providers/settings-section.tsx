import { Button, Group, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Provider, type ProviderChange, updateProvider } from '../../../api/admin-providers';
import { Section } from '../../../ui/section';
import { FormProblems } from '../models/form-problems';
import { NO_PROBLEMS, type Problems, problemsAt, problemsOf } from '../models/problems';
import { JsonField } from './json-field';
import { changesOf, fromProvider, type SettingsDraft } from './settings-draft';

/** The settings of a provider of the catalog. */
export function SettingsSection({ provider }: { provider: Provider }) {
  const [draft, setDraft] = useState(() => fromProvider(provider));
  const [found, setFound] = useState(NO_PROBLEMS);
  const queryClient = useQueryClient();
  const change = (part: Partial<SettingsDraft>) => setDraft({ ...draft, ...part });
  const saving = useMutation({
    mutationFn: (changes: ProviderChange) => updateProvider(provider.id, changes),
    onSuccess: (changed) => {
      void queryClient.invalidateQueries({ queryKey: ['admin', 'providers'] });
      setDraft(fromProvider(changed));
      notifications.show({ message: 'Settings saved.' });
    },
  });
  const { changes, problems: mistakes } = changesOf(provider, draft);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setFound(mistakes);
    saving.reset();
    if (changes) saving.mutate(changes);
  };
  const problems = found.size > 0 ? found : problemsOf(saving.error);
  const isUnchanged = changes !== undefined && Object.keys(changes).length === 0;
  return (
    <Section title="Settings">
      <form onSubmit={submit} autoComplete="off">
        <Stack maw={640}>
          <SettingsFields draft={draft} onChange={change} problems={problems} />
          <FormProblems title="Settings not saved" problems={problems} error={saving.error} />
          <Group>
            <Button type="submit" loading={saving.isPending} disabled={isUnchanged}>
              Save settings
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

interface FieldsProps {
  draft: SettingsDraft;
  onChange: (part: Partial<SettingsDraft>) => void;
  problems: Problems;
}

function SettingsFields({ draft, onChange, problems }: FieldsProps) {
  return (
    <>
      <TextInput
        label="Name"
        required
        maxLength={100}
        value={draft.name}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={problemsAt(problems, 'name')}
      />
      <TextInput
        label="Base URL"
        description="Empty: that of the preset or of the kind"
        type="url"
        maxLength={2000}
        spellCheck={false}
        value={draft.baseUrl}
        onChange={(event) => onChange({ baseUrl: event.currentTarget.value })}
        error={problemsAt(problems, 'base_url')}
      />
      <JsonField
        label="Headers"
        description="Sent with every request, as JSON; never credentials, because operators can read them"
        placeholder={'{ "x-team": "research" }'}
        value={draft.headers}
        onChange={(headers) => onChange({ headers })}
        error={problemsAt(problems, 'headers')}
      />
      <JsonField
        label="Options"
        description="As JSON: timeouts and proxy, and those of this kind of provider"
        placeholder={'{ "proxy": "http://10.0.0.9:3128" }'}
        value={draft.options}
        onChange={(options) => onChange({ options })}
        error={problemsAt(problems, 'options')}
      />
    </>
  );
}
