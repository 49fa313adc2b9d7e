import {
  Autocomplete,
  Button,
  Fieldset,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import type { AdminModel, Strategy } from '../../../api/admin-models';
import { adminModelsQuery } from './admin-models-query';
import {
  type ModelDraft,
  makes,
  newTarget,
  TARGET_NUMBERS,
  type TargetDraft,
  type TargetNumber,
} from './model-draft';
import { type Problems, problemsAt } from './problems';
import { RemoveRow } from './remove-row';

const NUMBERS: Readonly<Record<TargetNumber, string>> = {
  weight: 'Weight',
  priority: 'Priority',
  connect_timeout_ms: 'Connect, ms',
  first_byte_timeout_ms: 'First byte, ms',
  idle_timeout_ms: 'Idle, ms',
};

const STRATEGIES: Readonly<Record<Strategy, string>> = {
  weighted: 'Requests are shared by weight. Requests of one conversation stay at one target.',
  priority: 'The first target in this list receives all requests until it fails.',
  'least-busy': 'The target with the fewest requests in progress is tried first.',
  'lowest-latency': 'The target that answered fastest in the last five minutes is tried first.',
  'lowest-price': 'The target with the lowest cost is tried first.',
};

interface TargetsFieldsProps {
  draft: ModelDraft;
  onChange: (draft: ModelDraft) => void;
  problems: Problems;
}

/** Providers that serve the model. */
export function TargetsFields({ draft, onChange, problems }: TargetsFieldsProps) {
  const { targets } = draft;
  const models = useQuery(adminModelsQuery);
  const known = (models.data ?? []).flatMap((model) => model.targets.map(({ provider }) => provider));
  const providers = [...new Set(known)].sort();
  const change = (id: string, field: Partial<TargetDraft>) =>
    onChange({ ...draft, targets: targets.map((one) => (one.id === id ? { ...one, ...field } : one)) });
  return (
    <Fieldset legend="Targets">
      <Stack>
        <Text size="sm" c="dimmed">
          Targets with the lowest priority are tried first; among targets of equal priority the strategy
          decides. Empty timeouts use the defaults.
        </Text>
        <Select
          label="Strategy"
          description={STRATEGIES[draft.strategy]}
          data={Object.keys(STRATEGIES)}
          value={draft.strategy}
          allowDeselect={false}
          onChange={(value) => onChange({ ...draft, strategy: (value ?? draft.strategy) as Strategy })}
        />
        {problems.get('targets') && (
          <Text size="sm" c="var(--mantine-color-error)">
            {problems.get('targets')}
          </Text>
        )}
        {targets.map((target, index) => (
          <RemoveRow
            key={target.id}
            label={`Remove target ${index + 1}`}
            onRemove={() => onChange({ ...draft, targets: targets.filter(({ id }) => id !== target.id) })}
          >
            <Target
              target={target}
              index={index}
              providers={providers}
              problems={problems}
              onChange={(field) => change(target.id, field)}
            />
          </RemoveRow>
        ))}
        <div>
          <Button
            variant="default"
            size="xs"
            leftSection={<Plus size={14} aria-hidden />}
            onClick={() => onChange({ ...draft, targets: [...targets, newTarget()] })}
          >
            Target
          </Button>
        </div>
        {makes(draft, 'text') && (
          <MultiSelect
            label="Fallback models"
            description="Tried in this order when every target has failed. A request is billed as a request of the model that answers"
            placeholder={draft.fallback_models.length === 0 ? 'None' : ''}
            data={fallbacksOf(draft.slug, models.data)}
            value={[...draft.fallback_models]}
            onChange={(fallback_models) => onChange({ ...draft, fallback_models })}
            maxValues={3}
            searchable
            clearable
            error={problemsAt(problems, 'fallback_models')}
          />
        )}
      </Stack>
    </Fieldset>
  );
}

/** Possible fallback models: all other chat models that are not delisted. */
const fallbacksOf = (slug: string, models: readonly AdminModel[] = []): string[] =>
  models
    .filter((one) => one.slug !== slug && one.status !== 'delisted' && makes(one, 'text'))
    .map((one) => one.slug);

interface TargetProps {
  target: TargetDraft;
  index: number;
  providers: readonly string[];
  problems: Problems;
  onChange: (field: Partial<TargetDraft>) => void;
}

function Target({ target, index, providers, problems, onChange }: TargetProps) {
  const { provider, upstream_model, numbers } = target;
  const path = `targets.${index}`;
  return (
    <fieldset style={{ border: 0, padding: 0, margin: 0 }} aria-label={`Target ${index + 1}`}>
      <Stack gap="xs">
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <Autocomplete
            label="Provider"
            required
            data={providers}
            value={provider}
            onChange={(value) => onChange({ provider: value })}
            error={problemsAt(problems, `${path}.provider`)}
          />
          <TextInput
            label="Upstream model"
            required
            maxLength={200}
            spellCheck={false}
            autoCapitalize="off"
            value={upstream_model}
            onChange={(event) => onChange({ upstream_model: event.currentTarget.value })}
            error={problemsAt(problems, `${path}.upstream_model`)}
          />
        </SimpleGrid>
        <SimpleGrid cols={{ base: 2, sm: 5 }} spacing="sm">
          {TARGET_NUMBERS.map((name) => (
            <TextInput
              key={name}
              label={NUMBERS[name]}
              size="xs"
              inputMode="numeric"
              autoComplete="off"
              value={numbers[name]}
              onChange={(event) => onChange({ numbers: { ...numbers, [name]: event.currentTarget.value } })}
              error={problemsAt(problems, `${path}.${name}`)}
            />
          ))}
        </SimpleGrid>
      </Stack>
    </fieldset>
  );
}
