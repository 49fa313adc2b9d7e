import { Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ImageIcon } from 'lucide-react';
import { useState } from 'react';
import { type ImageRequest, makeImages } from '../../api/playground';
import { EmptyState } from '../../ui/empty-state';
import { CallError } from './call-error';
import { ImageForm } from './image-form';
import type { ImageCall } from './image-order';
import { ImageResults } from './image-results';
import { useOrderKey } from './order-key';
import type { Ready } from './ready-to-play';
import { Waiting } from './waiting';

export function ImagesPanel({ ready }: { ready: Ready }) {
  const [calls, setCalls] = useState<readonly ImageCall[]>([]);
  const orderKey = useOrderKey();
  const order = useMutation({
    mutationFn: (request: ImageRequest) => makeImages(request, orderKey.keyOf(request)),
    onSuccess: (made, request) => setCalls((all) => [{ request, made }, ...all]),
    onSettled: (_, error) => orderKey.answered(error),
  });
  const { variables } = order;
  return (
    <Stack>
      <ImageForm ready={ready} error={order.error} isPending={order.isPending} onOrder={order.mutate} />
      {order.isPending && <Waiting label="Making images" startedMs={order.submittedAt} />}
      {order.error && variables && (
        <CallError
          error={order.error}
          title="No images were made"
          keyId={variables.key_id}
          onRetry={() => order.mutate(variables)}
        />
      )}
      {calls.map((call) => (
        <ImageResults key={call.made.requestId ?? JSON.stringify(call.request)} call={call} />
      ))}
      {calls.length === 0 && order.isIdle && (
        <EmptyState title="No images yet" icon={ImageIcon}>
          Describe one and choose its size. Images stay on this page until you leave it: save those that you
          like.
        </EmptyState>
      )}
    </Stack>
  );
}
