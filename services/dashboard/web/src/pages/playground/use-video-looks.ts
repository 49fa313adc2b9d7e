import { useEffect, useRef, useState } from 'react';
import { getVideoStatus, type VideoTask } from '../../api/playground';
import { type Look, nextLook } from './next-look';
import type { OrderedVideo } from './video-memory';

export interface VideoLooks {
  readonly of: ReadonlyMap<string, Look>;
  /** Polls immediately. */
  lookNow(taskId: string): void;
}

/** Polls tasks until they end, one at a time, and only while the page is visible. */
export function useVideoLooks(
  videos: readonly OrderedVideo[],
  onSeen: (video: OrderedVideo, task: VideoTask) => void,
): VideoLooks {
  const [looks, setLooks] = useState<ReadonlyMap<string, Look>>(new Map());
  const latest = useRef({ videos, looks, onSeen });
  latest.current = { videos, looks, onSeen };
  const isLooking = useRef(false);
  const [isSeen, setIsSeen] = useState(!document.hidden);
  useEffect(() => {
    const notice = () => setIsSeen(!document.hidden);
    document.addEventListener('visibilitychange', notice);
    return () => document.removeEventListener('visibilitychange', notice);
  }, []);

  useEffect(() => {
    const open = videos.filter(({ isCompleted }) => !isCompleted);
    const next = isSeen && !isLooking.current ? nextLook(open, looks, Date.now()) : undefined;
    if (!next) return;
    const look = async () => {
      const video = latest.current.videos.find(({ task_id }) => task_id === next.taskId);
      if (!video || isLooking.current) return;
      isLooking.current = true;
      const seen = await lookAt(video, latest.current.looks.get(next.taskId));
      isLooking.current = false;
      setLooks((before) => new Map(before).set(next.taskId, seen));
      if (seen.task && seen.error === undefined) latest.current.onSeen(video, seen.task);
    };
    const timer = setTimeout(() => void look(), next.waitMs);
    return () => clearTimeout(timer);
  }, [videos, looks, isSeen]);

  return {
    of: looks,
    lookNow: (taskId) =>
      setLooks((before) => {
        const task = before.get(taskId)?.task;
        return new Map(before).set(taskId, { ...(task && { task }), lookedMs: 0, failures: 0 });
      }),
  };
}

async function lookAt({ task_id, provider, key_id }: OrderedVideo, before: Look | undefined): Promise<Look> {
  try {
    const task = await getVideoStatus({ task_id, provider, key_id });
    return { task, lookedMs: Date.now(), failures: 0 };
  } catch (error) {
    const failures = (before?.failures ?? 0) + 1;
    return { ...(before?.task && { task: before.task }), error, lookedMs: Date.now(), failures };
  }
}
