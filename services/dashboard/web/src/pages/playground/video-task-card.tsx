import { ActionIcon, Badge, Button, Group, Paper, Progress, Text, Tooltip } from '@mantine/core';
import { Play, X } from 'lucide-react';
import { useState } from 'react';
import type { VideoStatus } from '../../api/playground';
import { ErrorState } from '../../ui/error-state';
import { Time } from '../../ui/time';
import { CallCost } from './call-cost';
import type { PollResult } from './next-poll';
import { useElapsed } from './use-elapsed';
import type { StoredVideo } from './video-memory';
import { VideoPlayer } from './video-player';

interface VideoTaskCardProps {
  video: StoredVideo;
  latest: PollResult | undefined;
  onPoll: () => void;
  onRemove: () => void;
}

/** A video task and its progress. */
export function VideoTaskCard({ video, latest, onPoll, onRemove }: VideoTaskCardProps) {
  const { task_id, model, key_id, requestId, isCompleted = false } = video;
  const status = isCompleted ? 'completed' : (latest?.task?.status ?? 'queued');
  const hasEnded = status !== 'queued' && status !== 'running';
  return (
    <Paper withBorder p="md" component="section" aria-label={`Video by ${model}, ${task_id}`}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" mb="sm">
        <div>
          <Group gap={8}>
            <StatusBadge status={status} />
            <Text span size="sm">
              {model}
            </Text>
            <Text span size="xs" c="dimmed">
              <Time at={new Date(video.startedMs).toISOString()} relative />
              {requestId && hasEnded && ' ·'}
            </Text>
            {requestId && hasEnded && <CallCost requestId={requestId} keyId={key_id} />}
          </Group>
          <Text size="xs" c="dimmed" ff="monospace" mt={2} style={{ overflowWrap: 'anywhere' }}>
            {task_id}
          </Text>
        </div>
        <Tooltip label="Remove" withArrow>
          <ActionIcon variant="subtle" color="gray" aria-label="Remove the video" onClick={onRemove}>
            <X size={16} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Group>
      <Content video={video} latest={latest} status={status} onPoll={onPoll} />
    </Paper>
  );
}

interface ContentProps {
  video: StoredVideo;
  latest: PollResult | undefined;
  status: VideoStatus;
  onPoll: () => void;
}

function Content({ video, latest, status, onPoll }: ContentProps) {
  // A video from before this page load is fetched on demand: a fetch counts against the key's requests per minute.
  const [isFetched, setIsFetched] = useState(!video.isCompleted);
  if (status === 'completed') {
    const { task_id, provider, key_id } = video;
    return isFetched ? (
      <VideoPlayer id={{ task_id, provider, key_id }} />
    ) : (
      <Button
        variant="default"
        size="xs"
        leftSection={<Play size={14} aria-hidden />}
        onClick={() => setIsFetched(true)}
      >
        Show the video
      </Button>
    );
  }
  if (latest?.error !== undefined) {
    return <ErrorState error={latest.error} title="Could not check the status" onRetry={onPoll} />;
  }
  if (status === 'queued' || status === 'running')
    return <Wait status={status} startedMs={video.startedMs} />;
  const { error } = latest?.task ?? {};
  return (
    <Text size="sm" role="alert">
      {error?.detail ?? error?.message ?? 'No video was generated.'} Nothing was charged for it.
    </Text>
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

/** Providers report no percentage, only that a task is running. */
function Wait({ status, startedMs }: { status: VideoStatus; startedMs: number }) {
  const seconds = useElapsed(startedMs);
  return (
    <>
      <Progress value={100} animated={status === 'running'} striped size="sm" aria-label="Generating video" />
      <Text size="xs" c="dimmed" mt={6} aria-hidden>
        {status === 'queued' ? 'Queued' : 'Generating'}, {seconds} s elapsed
      </Text>
    </>
  );
}
