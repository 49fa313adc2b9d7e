import { Button, Group, NumberInput, Paper, Select, SimpleGrid, Stack, Text, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Model } from '../../api/models';
import type { VideoRequest } from '../../api/playground';
import { fieldError } from '../../ui/field-error';
import { Money } from '../../ui/money';
import { Pickers } from './pickers';
import type { Ready } from './playground-gate';
import { chosenVideo, durationsOf, type VideoFormValues } from './video-form-values';

interface VideoFormProps {
  ready: Ready;
  error: Error | null;
  isPending: boolean;
  onGenerate: (request: VideoRequest) => void;
}

const NOTHING: VideoFormValues = { tier: '', duration: 0, aspect_ratio: '' };

export function VideoForm({ ready, error, isPending, onGenerate }: VideoFormProps) {
  const { key, model } = ready;
  const [prompt, setPrompt] = useState('');
  const [values, setValues] = useState(NOTHING);
  const chosen = chosenVideo(values, model);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onGenerate({ key_id: key.id, model: model.slug, prompt, ...chosen.fields });
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit}>
      <Stack gap="sm">
        <Pickers choices={ready} disabled={isPending} />
        <Textarea
          label="Prompt"
          placeholder="A paper boat on a river at dusk, filmed from above"
          value={prompt}
          onChange={({ currentTarget }) => setPrompt(currentTarget.value)}
          maxLength={model.video?.max_prompt_chars || undefined}
          error={fieldError(error, 'prompt')}
          autosize
          minRows={2}
          maxRows={8}
          required
        />
        <Choice
          model={model}
          fields={chosen.fields}
          error={error}
          onChange={(changed) => setValues((before) => ({ ...before, ...changed }))}
        />
        <Group justify="space-between">
          <Text size="sm" c="dimmed">
            {chosen.costUsd !== undefined && (
              <>
                Costs <Money usd={chosen.costUsd} />
              </>
            )}
          </Text>
          <Button type="submit" loading={isPending} disabled={prompt.trim() === ''}>
            Generate
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

interface ChoiceProps {
  model: Model;
  fields: Partial<VideoFormValues>;
  error: Error | null;
  onChange: (changed: Partial<VideoFormValues>) => void;
}

function Choice({ model, fields, error, onChange }: ChoiceProps) {
  const { video, pricing } = model;
  const tiers = pricing?.video?.tiers ?? [];
  if (!video) return null;
  const { seconds, isAny } = durationsOf(video, fields.tier);
  return (
    <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm">
      {tiers.length > 0 && (
        <Select
          label="Tier"
          data={tiers.map((tier) => ({
            value: tier,
            label: video.tiers[tier] ? `${tier} (${video.tiers[tier].resolution})` : tier,
          }))}
          value={fields.tier ?? null}
          onChange={(tier) => onChange({ tier: tier ?? '' })}
          error={fieldError(error, 'tier')}
          allowDeselect={false}
        />
      )}
      {isAny ? (
        <NumberInput
          label="Seconds"
          value={fields.duration}
          onChange={(duration) => onChange({ duration: typeof duration === 'number' ? duration : 0 })}
          error={fieldError(error, 'duration')}
          min={video.min_duration}
          max={video.max_duration}
          allowDecimal={false}
        />
      ) : (
        <Select
          label="Seconds"
          data={seconds.map(String)}
          value={fields.duration === undefined ? null : String(fields.duration)}
          onChange={(duration) => onChange({ duration: Number(duration) })}
          error={fieldError(error, 'duration')}
          allowDeselect={false}
        />
      )}
      {video.aspect_ratios.length > 0 && (
        <Select
          label="Ratio"
          data={[...video.aspect_ratios]}
          value={fields.aspect_ratio ?? null}
          onChange={(aspect_ratio) => onChange({ aspect_ratio: aspect_ratio ?? '' })}
          error={fieldError(error, 'aspect_ratio')}
          allowDeselect={false}
        />
      )}
    </SimpleGrid>
  );
}
