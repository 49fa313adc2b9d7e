import { Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ImageIcon } from 'lucide-react';
import { useState } from 'react';
import { editImages, generateImages } from '../../api/playground';
import { EmptyState } from '../../ui/empty-state';
import { GenerationError } from './generation-error';
import { ImageForm } from './image-form';
import { type ImageCall, type ImageGeneration, identityOf } from './image-generation';
import { ImageResults } from './image-results';
import type { Ready } from './playground-gate';
import { useChosenFiles } from './use-chosen-files';
import { useIdempotencyKey } from './use-idempotency-key';
import { Waiting } from './waiting';

export function ImagesPanel({ ready }: { ready: Ready }) {
  const [calls, setCalls] = useState<readonly ImageCall[]>([]);
  const images = useChosenFiles('image');
  const mask = useChosenFiles('mask');
  const idempotencyKey = useIdempotencyKey();
  const generating = useMutation({
    mutationFn: (generation: ImageGeneration) =>
      sendGeneration(generation, idempotencyKey.keyOf(identityOf(generation))),
    onSuccess: (result, { request, images: used }) =>
      setCalls((all) => [{ request, edited: used.map(({ file }) => file.name), result }, ...all]),
    onSettled: (_, error) => idempotencyKey.answered(error),
  });
  const { variables: generation } = generating;
  const mayEdit = (ready.model.image?.max_input_images ?? 0) > 0;
  return (
    <Stack>
      <ImageForm
        ready={ready}
        images={images}
        mask={mask}
        error={generating.error}
        isPending={generating.isPending}
        onGenerate={generating.mutate}
      />
      {generating.isPending && generation && (
        <Waiting
          label={generation.images.length > 0 ? 'Editing images' : 'Generating images'}
          startedMs={generating.submittedAt}
        />
      )}
      {generating.error && generation && (
        <GenerationError
          error={generating.error}
          what="The images"
          title="No images generated"
          keyId={generation.request.key_id}
          model={generation.request.model}
          onAgain={() => generating.mutate(generation)}
          onNewRequest={() => {
            idempotencyKey.renew();
            generating.mutate(generation);
          }}
        />
      )}
      {calls.map((call, index) => (
        <ImageResults
          key={call.result.requestId ?? JSON.stringify(call.request)}
          call={call}
          number={calls.length - index}
          onEdit={mayEdit ? (file) => images.add([file]) : undefined}
        />
      ))}
      {calls.length === 0 && generating.isIdle && (
        <EmptyState title="No images yet" icon={ImageIcon}>
          Describe an image and choose a size. Images aren’t saved: download those you want to keep.
        </EmptyState>
      )}
    </Stack>
  );
}

function sendGeneration({ request, images, mask }: ImageGeneration, idempotencyKey: string) {
  if (images.length === 0) return generateImages(request, idempotencyKey);
  return editImages(request, { images: images.map(({ file }) => file), mask: mask?.file }, idempotencyKey);
}
