import { Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Clapperboard } from 'lucide-react';
import { useState } from 'react';
import { createVideo, type VideoRequest } from '../../api/playground';
import { useMe } from '../../api/use-me';
import { EmptyState } from '../../ui/empty-state';
import { CallError } from './call-error';
import { useOrderKey } from './order-key';
import type { Ready } from './ready-to-play';
import { VideoForm } from './video-form';
import { type OrderedVideo, recallVideos, rememberVideos } from './video-memory';
import { VideoTaskCard } from './video-task-card';
import { Waiting } from './waiting';

export function VideosPanel({ ready }: { ready: Ready }) {
  const { account } = useMe();
  const [videos, setVideos] = useState(() => recallVideos(account.id));
  const keep = (next: readonly OrderedVideo[]) => {
    rememberVideos(account.id, next);
    setVideos([...next]);
  };
  const orderKey = useOrderKey();
  const order = useMutation({
    mutationFn: async (request: VideoRequest): Promise<OrderedVideo> => {
      const { model, key_id } = request;
      const provider = model.split('/')[0]!;
      const { task_id, requestId } = await createVideo(provider, request, orderKey.keyOf(request));
      return { task_id, provider, key_id, model, requestId, startedMs: Date.now() };
    },
    onSuccess: (video) => keep([video, ...videos.filter(({ task_id }) => task_id !== video.task_id)]),
    onSettled: (_, error) => orderKey.answered(error),
  });
  const { variables } = order;
  return (
    <Stack>
      <VideoForm ready={ready} error={order.error} isPending={order.isPending} onOrder={order.mutate} />
      {order.isPending && <Waiting label="Ordering the video" startedMs={order.submittedAt} />}
      {order.error && variables && (
        <CallError
          error={order.error}
          title="The video was not ordered"
          keyId={variables.key_id}
          onRetry={() => order.mutate(variables)}
        />
      )}
      {videos.map((video) => (
        <VideoTaskCard
          key={video.task_id}
          video={video}
          onRemove={() => keep(videos.filter(({ task_id }) => task_id !== video.task_id))}
        />
      ))}
      {videos.length === 0 && order.isIdle && (
        <EmptyState title="No videos yet" icon={Clapperboard}>
          Describe one and order it. It takes minutes with most models; you may leave the page and come back.
        </EmptyState>
      )}
    </Stack>
  );
}
