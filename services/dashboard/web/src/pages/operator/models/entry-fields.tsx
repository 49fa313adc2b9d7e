import {
  Fieldset,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  TagsInput,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { adminModelsQuery } from './admin-models-query';
import { FeaturesJson } from './features-json';
import {
  INPUT_MODALITIES,
  type ModelDraft,
  makes,
  OUTPUT_MODALITIES,
  TOKEN_COUNTS,
  type TokenCount,
  VIDEO_ACTIONS,
} from './model-draft';
import { successorsOf } from './model-status-actions';
import { type Problems, problemsAt } from './problems';
import { TargetsFields } from './targets-fields';

export interface EntryFieldsProps {
  draft: ModelDraft;
  onChange: (draft: ModelDraft) => void;
  problems: Problems;
  /** Includes the slug. */
  isNew?: boolean;
}

const COUNTS: Readonly<Record<TokenCount, { label: string; description: string }>> = {
  context_length: { label: 'Context length', description: 'Tokens of input and output together' },
  max_output_tokens: { label: 'Max output tokens', description: 'Per reply' },
  output_floor_tokens: {
    label: 'Min output tokens',
    description: 'Replies are not shortened below this when funds are insufficient',
  },
  max_image_tokens: { label: 'Tokens per image', description: 'Maximum per input image; empty if unknown' },
};

export function EntryFields(props: EntryFieldsProps) {
  return (
    <Stack>
      <Basics {...props} />
      <Abilities {...props} />
      <TargetsFields {...props} />
      {(['image', 'video'] as const)
        .filter((kind) => makes(props.draft, kind))
        .map((kind) => (
          <FeaturesJson
            key={kind}
            kind={kind}
            value={props.draft[kind]}
            onChange={(text) => props.onChange({ ...props.draft, [kind]: text })}
            error={problemsAt(props.problems, kind)}
          />
        ))}
    </Stack>
  );
}

function Basics({ draft, onChange, problems, isNew }: EntryFieldsProps) {
  const models = useQuery(adminModelsQuery);
  return (
    <Fieldset legend="Name">
      <Stack>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label="Name"
            required
            maxLength={200}
            value={draft.name}
            onChange={(event) => onChange({ ...draft, name: event.currentTarget.value })}
            error={problemsAt(problems, 'name')}
          />
          {isNew && (
            <TextInput
              label="Slug"
              description="The model name in requests; can’t be changed later"
              placeholder="provider/model"
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              required
              maxLength={200}
              spellCheck={false}
              autoCapitalize="off"
              value={draft.slug}
              onChange={(event) => onChange({ ...draft, slug: event.currentTarget.value })}
              error={problemsAt(problems, 'slug')}
            />
          )}
          <TagsInput
            label="Aliases"
            description="Other names, such as provider/model-2026-01-01. Press Enter to add"
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            maxTags={50}
            value={[...draft.aliases]}
            onChange={(aliases) => onChange({ ...draft, aliases })}
            error={problemsAt(problems, 'aliases')}
          />
          <Select
            label="Successor"
            description="Suggested once this model is delisted"
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            placeholder="None"
            data={successorsOf(draft.slug, models.data)}
            value={draft.successor}
            onChange={(successor) => onChange({ ...draft, successor })}
            searchable
            clearable
            error={problemsAt(problems, 'successor')}
          />
        </SimpleGrid>
        <Switch
          label="Preview"
          description="Only accounts that opt in can call it"
          checked={draft.preview}
          onChange={(event) => onChange({ ...draft, preview: event.currentTarget.checked })}
        />
      </Stack>
    </Fieldset>
  );
}

function Abilities({ draft, onChange, problems }: EntryFieldsProps) {
  const models = useQuery(adminModelsQuery);
  const known = [...new Set((models.data ?? []).flatMap(({ capabilities }) => capabilities))].sort();
  return (
    <Fieldset legend="Input and output">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <MultiSelect
          label="Input"
          required
          data={INPUT_MODALITIES}
          value={[...draft.input_modalities]}
          onChange={(input_modalities) => onChange({ ...draft, input_modalities })}
          error={problemsAt(problems, 'input_modalities')}
        />
        <MultiSelect
          label="Output"
          required
          data={OUTPUT_MODALITIES}
          value={[...draft.output_modalities]}
          onChange={(output_modalities) => onChange({ ...draft, output_modalities })}
          error={problemsAt(problems, 'output_modalities')}
        />
        <TagsInput
          label="Capabilities"
          description="Press Enter to add"
          data={known}
          value={[...draft.capabilities]}
          onChange={(capabilities) => onChange({ ...draft, capabilities })}
          error={problemsAt(problems, 'capabilities')}
        />
        {makes(draft, 'video') && (
          <MultiSelect
            label="Video actions"
            description="Supported video operations"
            data={VIDEO_ACTIONS}
            value={[...draft.workflow]}
            onChange={(workflow) => onChange({ ...draft, workflow })}
            error={problemsAt(problems, 'workflow')}
          />
        )}
        {TOKEN_COUNTS.map((name) => (
          <TextInput
            key={name}
            {...COUNTS[name]}
            inputMode="numeric"
            autoComplete="off"
            value={draft.counts[name]}
            onChange={(event) =>
              onChange({ ...draft, counts: { ...draft.counts, [name]: event.currentTarget.value } })
            }
            error={problemsAt(problems, name)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}
