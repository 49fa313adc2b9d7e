import type { Role } from '../domain/access';

/** A playground call, which edge relays like the API call that it names. */
export interface PlaygroundOperation {
  readonly method: 'GET' | 'POST';
  /** Below `/api/v1`. */
  readonly path: string;
  readonly access: Role;
  /** Takes a form, and the key in its query. */
  readonly form?: true;
  readonly doc: { readonly summary: string; readonly relays: string };
}

const post = (path: string, relays: string, summary: string): PlaygroundOperation => ({
  method: 'POST',
  path: `/playground/${path}`,
  access: 'member',
  doc: { summary, relays },
});

export const PLAYGROUND_OPERATIONS: readonly PlaygroundOperation[] = [
  post('chat', '/v1/chat/completions', 'Create a chat completion with one of your keys'),
  post('images', '/v1/images', 'Generate images with one of your keys'),
  { ...post('images/edits', '/v1/images/edits', 'Edit images with one of your keys'), form: true },
  post('videos/:provider/create', '/v1/videos/{provider}/create', 'Generate a video with one of your keys'),
  post('videos/:provider/status', '/v1/videos/{provider}/status', "Retrieve a video task's status"),
  post('videos/:provider/result', '/v1/videos/{provider}/result', "Retrieve a video task's result"),
  {
    method: 'GET',
    path: '/playground/videos/files/:token',
    access: 'viewer',
    doc: {
      summary: 'Download a video whose URL is below `/v1/videos/files/`',
      relays: '/v1/videos/files/{token}',
    },
  },
];
