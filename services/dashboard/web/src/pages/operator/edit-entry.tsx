import { Button, Group, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type AdminModel, type ModelChange, updateModel } from '../../api/admin-models';
import { EntryFields } from './entry-fields';
import { FormProblems } from './form-problems';
import { fromModel, toChange } from './model-draft';
import { NO_PROBLEMS, type Problems, problemsOf } from './problems';

/** All of an entry but its slug, status and prices, as a form. */
export function EditEntry({ model }: { model: AdminModel }) {
  const [draft, setDraft] = useState(() => fromModel(model));
  const [found, setFound] = useState<Problems>(NO_PROBLEMS);
  const queryClient = useQueryClient();
  const saving = useMutation({
    mutationFn: (change: ModelChange) => updateModel(model.slug, change),
    onSuccess: (changed) => {
      queryClient.setQueryData(['admin', 'model', model.slug], changed);
      void queryClient.invalidateQueries({ queryKey: ['admin', 'models'] });
      void queryClient.invalidateQueries({ queryKey: ['models'] });
      setDraft(fromModel(changed));
      notifications.show({ message: `${changed.name} is saved.` });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { change, problems } = toChange(draft);
    saving.reset();
    setFound(problems);
    if (problems.size === 0) saving.mutate(change);
  };
  const problems = found.size > 0 ? found : problemsOf(saving.error);
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <EntryFields draft={draft} onChange={setDraft} problems={problems} />
        <FormProblems title="The model is as it was" problems={problems} error={saving.error} />
        <Group>
          <Button type="submit" loading={saving.isPending}>
            Save changes
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
