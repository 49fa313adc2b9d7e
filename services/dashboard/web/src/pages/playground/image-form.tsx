import { Button, Group, NumberInput, Paper, Select, SimpleGrid, Stack, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { ImageFeatures } from '../../api/models';
import { fieldError } from '../../ui/field-error';
import { type ImageFormValues, type ImageGeneration, toImageFields } from './image-generation';
import { InputImages, sentFiles } from './input-images';
import { Pickers } from './pickers';
import type { Ready } from './playground-gate';
import type { ChosenFiles } from './use-chosen-files';

interface ImageFormProps {
  ready: Ready;
  images: ChosenFiles;
  mask: ChosenFiles;
  error: Error | null;
  isPending: boolean;
  onGenerate: (generation: ImageGeneration) => void;
}

const NOTHING: ImageFormValues = { prompt: '', size: '', quality: '', n: 1 };

export function ImageForm({ ready, images, mask, error, isPending, onGenerate }: ImageFormProps) {
  const { key, model } = ready;
  const [values, setValues] = useState(NOTHING);
  const change = (changed: Partial<ImageFormValues>) => setValues((before) => ({ ...before, ...changed }));
  const sent = sentFiles(images, mask, model.image);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (sent.problem) return;
    const request = { key_id: key.id, model: model.slug, ...toImageFields(values, model.image) };
    onGenerate({ request, images: sent.images, mask: sent.mask });
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit}>
      <Stack gap="sm">
        <Pickers choices={ready} disabled={isPending} />
        <Textarea
          label="Prompt"
          placeholder={
            sent.images.length > 0
              ? 'Make it night, with the light on'
              : 'A lighthouse in a storm, oil on canvas'
          }
          value={values.prompt}
          onChange={({ currentTarget }) => change({ prompt: currentTarget.value })}
          maxLength={model.image?.max_prompt_chars || undefined}
          error={fieldError(error, 'prompt')}
          autosize
          minRows={2}
          maxRows={8}
          required
        />
        {model.image && (
          <InputImages
            image={model.image}
            images={images}
            mask={mask}
            problem={sent.problem}
            error={error}
            disabled={isPending}
          />
        )}
        {model.image && <Choice image={model.image} values={values} error={error} onChange={change} />}
        <Group justify="flex-end">
          <Button
            type="submit"
            loading={isPending}
            disabled={values.prompt.trim() === '' || sent.problem !== undefined}
          >
            {sent.images.length > 0 ? 'Edit images' : 'Generate'}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

interface ChoiceProps {
  image: ImageFeatures;
  values: ImageFormValues;
  error: Error | null;
  onChange: (changed: Partial<ImageFormValues>) => void;
}

function Choice({ image, values, error, onChange }: ChoiceProps) {
  const { sizes, qualities, max_n } = image;
  return (
    <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm">
      {sizes.length > 0 && (
        <Select
          label="Size"
          data={[...sizes]}
          value={sizes.includes(values.size) ? values.size : image.default_size || null}
          onChange={(size) => onChange({ size: size ?? '' })}
          error={fieldError(error, 'size')}
          allowDeselect={false}
        />
      )}
      {qualities.length > 0 && (
        <Select
          label="Quality"
          data={[...qualities]}
          value={qualities.includes(values.quality) ? values.quality : image.default_quality || null}
          onChange={(quality) => onChange({ quality: quality ?? '' })}
          error={fieldError(error, 'quality')}
          allowDeselect={false}
        />
      )}
      {max_n > 1 && (
        <NumberInput
          label="Number of images"
          value={Math.min(values.n, max_n)}
          onChange={(n) => onChange({ n: typeof n === 'number' ? n : 1 })}
          error={fieldError(error, 'n')}
          min={1}
          max={max_n}
          allowDecimal={false}
        />
      )}
    </SimpleGrid>
  );
}
