import { GatewayError } from '@gateway/errors';
import type { LinkHandler } from '@gateway/link';
import { VIDEO_FILES_PATH } from '../videos/video-links';

export interface Routes {
  readonly createImage: LinkHandler;
  readonly createSpeech: LinkHandler;
  readonly createTranscription: LinkHandler;
  readonly createTranslation: LinkHandler;
  readonly createVideo: LinkHandler;
  readonly videoStatus: LinkHandler;
  readonly videoResult: LinkHandler;
  readonly videoFile: LinkHandler;
  readonly listVideos: LinkHandler;
}

const VIDEO_PATH = /^\/v1\/videos\/[^/]+\/(create|status|result)$/;
const IMAGE_PATHS = new Set(['/v1/images', '/v1/images/generations', '/v1/images/edits']);

/** Returns the handler of a call; edge has checked the path, so an unknown one comes from a newer edge. */
export function routeCall(routes: Routes): LinkHandler {
  const videos: Readonly<Record<string, LinkHandler>> = {
    create: routes.createVideo,
    status: routes.videoStatus,
    result: routes.videoResult,
  };
  const audios = new Map([
    ['/v1/audio/speech', routes.createSpeech],
    ['/v1/audio/transcriptions', routes.createTranscription],
    ['/v1/audio/translations', routes.createTranslation],
  ]);
  return (context, call) => {
    const { method, path } = call;
    if (method === 'POST' && IMAGE_PATHS.has(path)) return routes.createImage(context, call);
    const audio = method === 'POST' && audios.get(path);
    if (audio) return audio(context, call);
    const video = method === 'POST' && videos[VIDEO_PATH.exec(path)?.[1] ?? ''];
    if (video) return video(context, call);
    if (method === 'GET' && path === '/v1/videos') return routes.listVideos(context, call);
    if (method === 'GET' && path.startsWith(VIDEO_FILES_PATH)) return routes.videoFile(context, call);
    return Promise.reject(new GatewayError('not_found'));
  };
}
