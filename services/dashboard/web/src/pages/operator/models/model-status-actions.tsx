import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Archive, Ban, Play } from 'lucide-react';
import { useState } from 'react';
import { type AdminModel, delistModel, setModelStatus, updateModel } from '../../../api/admin-models';
import { ConfirmDialog } from '../../../ui/confirm-dialog';
import { ErrorState } from '../../../ui/error-state';
import { fieldError } from '../../../ui/field-error';
import { adminModelsQuery } from './admin-models-query';

/** Buttons that enable, disable or delist a model. */
export function ModelStatusActions({ model }: { model: AdminModel }) {
  const [toggles, toggle] = useDisclosure();
  const [delists, delist] = useDisclosure();
  const taken = useTaken();
  const { slug, name, status } = model;
  const isActive = status === 'active';
  return (
    <>
      <Button
        variant="default"
        leftSection={isActive ? <Ban size={16} aria-hidden /> : <Play size={16} aria-hidden />}
        onClick={toggle.open}
      >
        {isActive ? 'Disable' : 'Enable'}
      </Button>
      {status !== 'delisted' && (
        <Button variant="default" leftSection={<Archive size={16} aria-hidden />} onClick={delist.open}>
          Delist
        </Button>
      )}
      <ConfirmDialog
        opened={toggles}
        onClose={toggle.close}
        title={isActive ? `Disable ${name}?` : `Enable ${name}?`}
        confirm={isActive ? 'Disable model' : 'Enable model'}
        dangerous={isActive}
        action={() => setModelStatus(slug, isActive ? 'disabled' : 'active')}
        onDone={(changed) => {
          taken(changed);
          notifications.show({ message: `${name} is ${changed.status}.` });
        }}
      >
        <Text size="sm">
          {isActive
            ? 'New requests are rejected within seconds; in-flight requests complete. The model stays listed as disabled.'
            : 'It can be used again at its current prices.'}
        </Text>
      </ConfirmDialog>
      <Modal
        opened={delists}
        onClose={delist.close}
        title={`Delist ${name}?`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <DelistForm model={model} onClose={delist.close} />
      </Modal>
    </>
  );
}

function DelistForm({
  model: { slug, name, successor },
  onClose,
}: {
  model: AdminModel;
  onClose: () => void;
}) {
  const [chosen, setChosen] = useState(successor);
  const models = useQuery(adminModelsQuery);
  const taken = useTaken();
  const delisting = useMutation({
    mutationFn: async () => {
      // Delisting without a successor does not clear one that was set before.
      if (chosen === null && successor !== null) await updateModel(slug, { successor: null });
      return delistModel(slug, chosen);
    },
    onSuccess: (model) => {
      taken(model);
      onClose();
      notifications.show({ message: `${name} is delisted.` });
    },
  });
  const refusal = fieldError(delisting.error, 'successor');
  return (
    <Stack>
      <Text size="sm">
        It is removed from model lists and requests are rejected within seconds. Records keep its name, and
        you can enable it again.
      </Text>
      <Select
        label="Successor"
        description="Suggested by the API as a replacement"
        placeholder="None"
        data={successorsOf(slug, models.data)}
        value={chosen}
        onChange={setChosen}
        searchable
        clearable
        error={refusal}
      />
      {delisting.error && !refusal && <ErrorState error={delisting.error} title="Model not delisted" />}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button color="red.9" loading={delisting.isPending} onClick={() => delisting.mutate()}>
          Delist model
        </Button>
      </Group>
    </Stack>
  );
}

/** Possible successors: all other models that are not delisted. */
export function successorsOf(slug: string, models: readonly AdminModel[] = []): string[] {
  return models.filter((one) => one.slug !== slug && one.status !== 'delisted').map((one) => one.slug);
}

/** Updates the cached lists with the changed model. */
function useTaken() {
  const queryClient = useQueryClient();
  return (model: AdminModel) => {
    queryClient.setQueryData(['admin', 'model', model.slug], model);
    void queryClient.invalidateQueries({ queryKey: ['admin', 'models'] });
    void queryClient.invalidateQueries({ queryKey: ['models'] });
  };
}
