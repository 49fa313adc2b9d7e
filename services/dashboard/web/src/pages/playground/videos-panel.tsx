import { Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Clapperboard } from 'lucide-react';
import { useState } from 'react';
import { createVideo, type VideoRequest } from '../../api/playground';
import { useMe } from '../../api/use-me';
import { EmptyState } from '../../ui/empty-state';
import { OrderError } from './order-error';
import { useOrderKey } from './order-key';
import type { Ready } from './ready-to-play';
import { useVideoLooks } from './use-video-looks';
import { VideoForm } from './video-form';
import { type OrderedVideo, VideoMemory } from './video-memory';
import { VideoTaskCard } from './video-task-card';
import { Waiting } from './waiting';

export function VideosPanel({ ready }: { ready: Ready }) {
  const { account, user } = useMe();
  const [memory] = useState(() => new VideoMemory(account.id, user.id));
  const [videos, setVideos] = useState(() => memory.all());
  const looks = useVideoLooks(videos, ({ task_id }, { status }) => {
    if (status === 'completed') setVideos(memory.complete(task_id));
  });
  const orderKey = useOrderKey();
  const order = useMutation({
    mutationFn: async (request: VideoRequest): Promise<OrderedVideo> => {
      const { model, key_id } = request;
      const provider = model.split('/')[0]!;
      const { task_id, requestId } = await createVideo(provider, request, orderKey.keyOf(request));
      return { task_id, provider, key_id, model, startedMs: Date.now(), ...(requestId && { requestId }) };
    },
    onSuccess: (video) => setVideos(memory.add(video)),
    onSettled: (_, error) => orderKey.answered(error),
  });
  const { variables } = order;
  return (
    <Stack>
      <VideoForm ready={ready} error={order.error} isPending={order.isPending} onOrder={order.mutate} />
      {order.isPending && <Waiting label="Starting" startedMs={order.submittedAt} />}
      {order.error && variables && (
        <OrderError
          error={order.error}
          what="The video"
          title="Video not started"
          keyId={variables.key_id}
          model={variables.model}
          onAgain={() => order.mutate(variables)}
          onAnew={() => {
            orderKey.renew();
            order.mutate(variables);
          }}
        />
      )}
      {videos.map((video) => (
        <VideoTaskCard
          key={video.task_id}
          video={video}
          look={looks.of.get(video.task_id)}
          onLook={() => looks.lookNow(video.task_id)}
          onRemove={() => setVideos(memory.remove(video.task_id))}
        />
      ))}
      {videos.length === 0 && order.isIdle && (
        <EmptyState title="No videos yet" icon={Clapperboard}>
          Describe a video to generate. Most models take minutes; you can leave this page and find the video
          here again in this browser for a month.
        </EmptyState>
      )}
    </Stack>
  );
}
