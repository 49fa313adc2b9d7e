import { Button, Group, NumberInput, Paper, Select, SimpleGrid, Stack, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { ImageFeatures } from '../../api/models';
import { fieldError } from '../../ui/field-error';
import { EditedFiles, sentFiles } from './edited-files';
import { type ImageOrder, type ImageWish, toImageFields } from './image-order';
import { Pickers } from './pickers';
import type { Ready } from './ready-to-play';
import type { ChosenFiles } from './use-chosen-files';

interface ImageFormProps {
  ready: Ready;
  images: ChosenFiles;
  mask: ChosenFiles;
  error: Error | null;
  isPending: boolean;
  onOrder: (wish: ImageWish) => void;
}

const NOTHING: ImageOrder = { prompt: '', size: '', quality: '', n: 1 };

export function ImageForm({ ready, images, mask, error, isPending, onOrder }: ImageFormProps) {
  const { key, model } = ready;
  const [order, setOrder] = useState(NOTHING);
  const change = (changed: Partial<ImageOrder>) => setOrder((before) => ({ ...before, ...changed }));
  const sent = sentFiles(images, mask, model.image);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (sent.problem) return;
    const request = { key_id: key.id, model: model.slug, ...toImageFields(order, model.image) };
    onOrder({ request, images: sent.images, mask: sent.mask });
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
          value={order.prompt}
          onChange={({ currentTarget }) => change({ prompt: currentTarget.value })}
          maxLength={model.image?.max_prompt_chars || undefined}
          error={fieldError(error, 'prompt')}
          autosize
          minRows={2}
          maxRows={8}
          required
        />
        {model.image && (
          <EditedFiles
            image={model.image}
            images={images}
            mask={mask}
            problem={sent.problem}
            error={error}
            disabled={isPending}
          />
        )}
        {model.image && <Choice image={model.image} order={order} error={error} onChange={change} />}
        <Group justify="flex-end">
          <Button
            type="submit"
            loading={isPending}
            disabled={order.prompt.trim() === '' || sent.problem !== undefined}
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
  order: ImageOrder;
  error: Error | null;
  onChange: (changed: Partial<ImageOrder>) => void;
}

function Choice({ image, order, error, onChange }: ChoiceProps) {
  const { sizes, qualities, max_n } = image;
  return (
    <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm">
      {sizes.length > 0 && (
        <Select
          label="Size"
          data={[...sizes]}
          value={sizes.includes(order.size) ? order.size : image.default_size || null}
          onChange={(size) => onChange({ size: size ?? '' })}
          error={fieldError(error, 'size')}
          allowDeselect={false}
        />
      )}
      {qualities.length > 0 && (
        <Select
          label="Quality"
          data={[...qualities]}
          value={qualities.includes(order.quality) ? order.quality : image.default_quality || null}
          onChange={(quality) => onChange({ quality: quality ?? '' })}
          error={fieldError(error, 'quality')}
          allowDeselect={false}
        />
      )}
      {max_n > 1 && (
        <NumberInput
          label="Number of images"
          value={Math.min(order.n, max_n)}
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
