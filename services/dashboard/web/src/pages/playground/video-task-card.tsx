import { ActionIcon, Badge, Group, Paper, Progress, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { getVideoStatus, type VideoStatus, type VideoTask } from '../../api/playground';
import { ErrorState } from '../../ui/error-state';
import { CallCost } from './call-cost';
import { useElapsed } from './use-elapsed';
import type { OrderedVideo } from './video-memory';
import { VideoPlayer } from './video-player';

const POLL_INTERVAL_MS = 3_000;
const UNDER_WAY: readonly VideoStatus[] = ['queued', 'running'];

const isUnderWay = (task: VideoTask | undefined): boolean => !task || UNDER_WAY.includes(task.status);

/** One ordered video: asked after until it is there. */
export function VideoTaskCard({ video, onRemove }: { video: OrderedVideo; onRemove: () => void }) {
  const { task_id, provider, key_id, model, requestId } = video;
  const id = { task_id, provider, key_id };
  const task = useQuery({
    queryKey: ['playground', 'video', task_id],
    queryFn: () => getVideoStatus(id),
    refetchInterval: ({ state }) => (isUnderWay(state.data) ? POLL_INTERVAL_MS : false),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const status = task.data?.status ?? 'queued';
  return (
    <Paper withBorder p="md" component="section" aria-label={`Video by ${model}`}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb="sm">
        <Group gap={8}>
          <StatusBadge status={status} />
          <Text span size="sm">
            {model}
          </Text>
          <Text span size="xs" c="dimmed" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {task_id}
          </Text>
          {requestId && !isUnderWay(task.data) && <CallCost requestId={requestId} keyId={key_id} />}
        </Group>
        <Tooltip label="Take off this page" withArrow>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="Take the video off this page"
            onClick={onRemove}
          >
            <X size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
      {task.error && (
        <ErrorState
          error={task.error}
          title="How far it is could not be asked"
          onRetry={() => void task.refetch()}
        />
      )}
      {task.data?.status === 'completed' ? (
        <VideoPlayer id={id} />
      ) : isUnderWay(task.data) ? (
        <Wait status={status} startedMs={video.startedMs} />
      ) : (
        <Text size="sm" role="alert">
          {task.data?.error?.detail ?? task.data?.error?.message ?? 'There is no video.'} Nothing was charged
          for it.
        </Text>
      )}
    </Paper>
  );
}

const COLORS: Readonly<Record<VideoStatus, string>> = {
  queued: 'gray',
  running: 'indigo',
  completed: 'teal',
  failed: 'red',
  canceled: 'orange',
  expired: 'orange',
};

function StatusBadge({ status }: { status: VideoStatus }) {
  return (
    <Badge color={COLORS[status]} variant="light" radius="sm" role="status" miw="max-content">
      {status}
    </Badge>
  );
}

/** Providers do not say how far they are, only that they are at it. */
function Wait({ status, startedMs }: { status: VideoStatus; startedMs: number }) {
  const seconds = useElapsed(startedMs);
  return (
    <>
      <Progress
        value={100}
        animated={status === 'running'}
        striped
        size="sm"
        aria-label="The video is being made"
      />
      <Text size="xs" c="dimmed" mt={6} aria-hidden>
        {status === 'queued' ? 'In the queue' : 'Being made'}, {seconds} s so far
      </Text>
    </>
  );
}
