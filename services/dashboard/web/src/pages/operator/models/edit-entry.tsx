import { Button, Group, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { type AdminModel, type ModelChange, updateModel } from '../../../api/admin-models';
import { EntryFields } from './entry-fields';
import { FormProblems } from './form-problems';
import { changesOf, fromModel, toChange } from './model-draft';
import { NO_PROBLEMS, type Problems, problemsOf } from './problems';

/** Form for a model's entry, without its slug, status and prices. */
export function EditEntry({ model }: { model: AdminModel }) {
  const [begun, setBegun] = useState(() => fromModel(model));
  const [draft, setDraft] = useState(begun);
  const [found, setFound] = useState<Problems>(NO_PROBLEMS);
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: (change: ModelChange) => updateModel(model.slug, change),
    onSuccess: (changed) => {
      queryClient.setQueryData(['admin', 'model', model.slug], changed);
      void queryClient.invalidateQueries({ queryKey: ['admin', 'models'] });
      void queryClient.invalidateQueries({ queryKey: ['models'] });
      const next = fromModel(changed);
      setBegun(next);
      setDraft(next);
      notifications.show({ message: `${changed.name} is saved.` });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { change, problems } = toChange(draft);
    const changes = changesOf(toChange(begun).change, change);
    saving.reset();
    setFound(problems);
    if (problems.size > 0) return;
    if (Object.keys(changes).length > 0) saving.mutate(changes);
    else notifications.show({ message: 'No changes.' });
  };
  const { successor } = model;
  // Delisting sets a successor too.
  useEffect(() => {
    setBegun((before) => ({ ...before, successor }));
    setDraft((before) => ({ ...before, successor }));
  }, [successor]);
  const problems = found.size > 0 ? found : problemsOf(saving.error);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <EntryFields draft={draft} onChange={setDraft} problems={problems} />
        <FormProblems title="Model not saved" problems={problems} error={saving.error} />
        <Group>
          <Button type="submit" loading={saving.isPending}>
            Save changes
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
