import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { getVideoFile, getVideoResult, type VideoTaskId, videoFileToken } from '../../api/playground';
import { ErrorState } from '../../ui/error-state';
import { formatTime } from '../../ui/format-time';
import classes from './video-player.module.css';

/** The videos of a completed task. */
export function VideoPlayer({ id }: { id: VideoTaskId }) {
  const result = useQuery({
    queryKey: ['playground', 'video', id.task_id, 'result'],
    queryFn: () => getVideoResult(id),
    // Fetched once: new links would restart the player.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (result.error) {
    return (
      <ErrorState
        error={result.error}
        title="Could not load the video"
        onRetry={() => void result.refetch()}
      />
    );
  }
  if (!result.data) return <Skeleton className={classes.frame} aria-label="Loading" />;
  return (
    <Stack>
      {result.data.videos.map(({ url, expires_at }) => {
        const token = videoFileToken(url);
        return token ? (
          <OwnVideo key={url} token={token} />
        ) : (
          <Player key={url} src={url} expiresAt={expires_at} />
        );
      })}
    </Stack>
  );
}

/** The file needs the login token, so the player can't load the link itself. */
function OwnVideo({ token }: { token: string }) {
  const file = useQuery({
    queryKey: ['playground', 'video-file', token],
    queryFn: ({ signal }) => getVideoFile(token, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const [src, setSrc] = useState<string>();
  useEffect(() => {
    if (!file.data) return;
    const url = URL.createObjectURL(file.data);
    setSrc(url);
    return () => URL.revokeObjectURL(url);
  }, [file.data]);
  if (file.error) {
    return (
      <ErrorState error={file.error} title="Could not load the video" onRetry={() => void file.refetch()} />
    );
  }
  return src ? <Player src={src} /> : <Skeleton className={classes.frame} aria-label="Loading" />;
}

function Player({ src, expiresAt }: { src: string; expiresAt?: string | null }) {
  // The content security policy forbids videos without TLS.
  const [isBroken, setIsBroken] = useState(!/^(https|blob):/.test(src));
  const isWeb = /^(https?|blob):/.test(src);
  return (
    <div>
      {isBroken ? (
        <Text size="sm" c="dimmed">
          This video can’t be played here. Open the link instead.
        </Text>
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: generated videos have no captions.
        <video
          className={classes.frame}
          src={src}
          controls
          loop
          playsInline
          onError={() => setIsBroken(true)}
        />
      )}
      {isWeb && (
        <Group gap="sm" mt={6}>
          <Anchor
            href={src}
            target="_blank"
            rel="noopener noreferrer"
            download={src.startsWith('blob:') ? 'video.mp4' : undefined}
            size="sm"
            underline="always"
          >
            {src.startsWith('blob:') ? 'Download the video' : 'Open the video'}
          </Anchor>
          {expiresAt && (
            <Text size="xs" c="dimmed">
              The link is valid until {formatTime(expiresAt)}
            </Text>
          )}
        </Group>
      )}
    </div>
  );
}
