import { Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Clapperboard } from 'lucide-react';
import { useState } from 'react';
import { createVideo, type VideoRequest } from '../../api/playground';
import { useMe } from '../../api/use-me';
import { EmptyState } from '../../ui/empty-state';
import { GenerationError } from './generation-error';
import type { Ready } from './playground-gate';
import { useIdempotencyKey } from './use-idempotency-key';
import { useVideoPolling } from './use-video-polling';
import { VideoForm } from './video-form';
import { type StoredVideo, VideoMemory } from './video-memory';
import { VideoTaskCard } from './video-task-card';
import { Waiting } from './waiting';

export function VideosPanel({ ready }: { ready: Ready }) {
  const { account, user } = useMe();
  const [memory] = useState(() => new VideoMemory(account.id, user.id));
  const [videos, setVideos] = useState(() => memory.all());
  const polling = useVideoPolling(videos, ({ task_id }, { status }) => {
    if (status === 'completed') setVideos(memory.complete(task_id));
  });
  const idempotencyKey = useIdempotencyKey();
  const generating = useMutation({
    mutationFn: async (request: VideoRequest): Promise<StoredVideo> => {
      const { model, key_id } = request;
      const provider = model.split('/')[0]!;
      const { task_id, requestId } = await createVideo(provider, request, idempotencyKey.keyOf(request));
      return { task_id, provider, key_id, model, startedMs: Date.now(), ...(requestId && { requestId }) };
    },
    onSuccess: (video) => setVideos(memory.add(video)),
    onSettled: (_, error) => idempotencyKey.answered(error),
  });
  const { variables } = generating;
  return (
    <Stack>
      <VideoForm
        ready={ready}
        error={generating.error}
        isPending={generating.isPending}
        onGenerate={generating.mutate}
      />
      {generating.isPending && <Waiting label="Starting" startedMs={generating.submittedAt} />}
      {generating.error && variables && (
        <GenerationError
          error={generating.error}
          what="The video"
          title="Video not started"
          keyId={variables.key_id}
          model={variables.model}
          onAgain={() => generating.mutate(variables)}
          onNewRequest={() => {
            idempotencyKey.renew();
            generating.mutate(variables);
          }}
        />
      )}
      {videos.map((video) => (
        <VideoTaskCard
          key={video.task_id}
          video={video}
          latest={polling.of.get(video.task_id)}
          onPoll={() => polling.pollNow(video.task_id)}
          onRemove={() => setVideos(memory.remove(video.task_id))}
        />
      ))}
      {videos.length === 0 && generating.isIdle && (
        <EmptyState title="No videos yet" icon={Clapperboard}>
          Describe a video to generate. Most models take minutes; you can leave this page and find the video
          here again in this browser for a month.
        </EmptyState>
      )}
    </Stack>
  );
}
