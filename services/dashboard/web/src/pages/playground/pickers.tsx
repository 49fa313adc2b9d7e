import { Select, SimpleGrid } from '@mantine/core';
import type { Choices } from './use-choices';

/** Select fields for the key and the model. */
export function Pickers({ choices, disabled = false }: { choices: Choices; disabled?: boolean }) {
  const { keys, models, key, model, choose } = choices;
  const hint = models.length === 0 ? 'The key allows no models of this type' : 'None selected';
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <Select
        label="Key"
        description="Requests are billed to this key and count against its limits"
        data={keys.map(({ id, name, hint }) => ({ value: id, label: `${name} (…${hint})` }))}
        value={key?.id ?? null}
        onChange={(key_id) => key_id && choose({ key_id })}
        allowDeselect={false}
        searchable
        disabled={disabled}
      />
      <Select
        label="Model"
        description={model ? model.name : hint}
        data={models.map(({ slug }) => slug)}
        value={model?.slug ?? null}
        onChange={(slug) => slug && choose({ model: slug })}
        allowDeselect={false}
        searchable
        limit={100}
        disabled={disabled}
      />
    </SimpleGrid>
  );
}
