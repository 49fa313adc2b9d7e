import { Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ImageIcon } from 'lucide-react';
import { useState } from 'react';
import { editImages, makeImages } from '../../api/playground';
import { EmptyState } from '../../ui/empty-state';
import { ImageForm } from './image-form';
import { type ImageCall, type ImageWish, identityOf } from './image-order';
import { ImageResults } from './image-results';
import { OrderError } from './order-error';
import { useOrderKey } from './order-key';
import type { Ready } from './ready-to-play';
import { useChosenFiles } from './use-chosen-files';
import { Waiting } from './waiting';

export function ImagesPanel({ ready }: { ready: Ready }) {
  const [calls, setCalls] = useState<readonly ImageCall[]>([]);
  const images = useChosenFiles('image');
  const mask = useChosenFiles('mask');
  const orderKey = useOrderKey();
  const order = useMutation({
    mutationFn: (wish: ImageWish) => carryOut(wish, orderKey.keyOf(identityOf(wish))),
    onSuccess: (made, { request, images: used }) =>
      setCalls((all) => [{ request, edited: used.map(({ file }) => file.name), made }, ...all]),
    onSettled: (_, error) => orderKey.answered(error),
  });
  const { variables: wish } = order;
  const mayEdit = (ready.model.image?.max_input_images ?? 0) > 0;
  return (
    <Stack>
      <ImageForm
        ready={ready}
        images={images}
        mask={mask}
        error={order.error}
        isPending={order.isPending}
        onOrder={order.mutate}
      />
      {order.isPending && wish && (
        <Waiting
          label={wish.images.length > 0 ? 'Editing images' : 'Generating images'}
          startedMs={order.submittedAt}
        />
      )}
      {order.error && wish && (
        <OrderError
          error={order.error}
          what="The images"
          title="No images generated"
          keyId={wish.request.key_id}
          model={wish.request.model}
          onAgain={() => order.mutate(wish)}
          onAnew={() => {
            orderKey.renew();
            order.mutate(wish);
          }}
        />
      )}
      {calls.map((call, index) => (
        <ImageResults
          key={call.made.requestId ?? JSON.stringify(call.request)}
          call={call}
          number={calls.length - index}
          onEdit={mayEdit ? (file) => images.add([file]) : undefined}
        />
      ))}
      {calls.length === 0 && order.isIdle && (
        <EmptyState title="No images yet" icon={ImageIcon}>
          Describe an image and choose a size. Images aren’t saved: download those you want to keep.
        </EmptyState>
      )}
    </Stack>
  );
}

function carryOut({ request, images, mask }: ImageWish, orderKey: string) {
  if (images.length === 0) return makeImages(request, orderKey);
  return editImages(request, { images: images.map(({ file }) => file), mask: mask?.file }, orderKey);
}
